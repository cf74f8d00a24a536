#include "sim/workload/serving/requests.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/serving/request_draws.h"
#include "sim/workload/serving/request_lengths.h"
#include "tests/catch.h"

using namespace tradewind;
using scenario::Arrival;
using scenario::Length;
using scenario::Request;
using scenario::Serving;

namespace {

constexpr int kMany = 200'000;

struct Moments {
  double mean = 0, deviation = 0;
};

template <class Draw>
Moments moments(Draw draw) {
  double sum = 0, squares = 0;
  for (int i = 0; i < kMany; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kMany;
  return {mean, std::sqrt(squares / kMany - mean * mean)};
}

Serving serving(Length input, Length output, Arrival arrival, int count = 1000) {
  Serving serving;
  serving.requests.count = count;
  serving.requests.input = input;
  serving.requests.output = output;
  serving.arrival = arrival;
  return serving;
}

const Length kFixed{Length::Kind::fixed, 100, 0, 1, {}};
const Length kExponential{Length::Kind::exponential, 200, 0, 1, {}};
const Length kLognormal{Length::Kind::lognormal, 900, 450, 1, {}};

bool same_lengths(const Request& a, const Request& b) {
  return a.input_tokens == b.input_tokens && a.output_tokens == b.output_tokens;
}

}  // namespace

// A mean of n draws strays by deviation / sqrt(n) (0.22 % of it at 200,000 draws); the tolerances
// are four times that and more. A deviation strays about as much, heavier tails more.
TEST_CASE("the transforms have the moments of their distributions") {
  workload::Draws draws(1, 0);
  const Moments uniform = moments([&] { return draws.uniform(); });
  CHECK(uniform.mean == Approx(0.5).epsilon(0.006));
  CHECK(uniform.deviation == Approx(1 / std::sqrt(12.0)).epsilon(0.006));
  const Moments exponential = moments([&] { return draws.exponential(); });
  CHECK(exponential.mean == Approx(1).epsilon(0.01));
  CHECK(exponential.deviation == Approx(1).epsilon(0.02));
  const Moments normal = moments([&] { return draws.normal(); });
  CHECK(normal.mean == Approx(0).margin(0.01));
  CHECK(normal.deviation == Approx(1).epsilon(0.01));
  for (const double shape : {0.25, 1.0, 4.0}) {
    const Moments gamma = moments([&] { return draws.gamma(shape); });
    CHECK(gamma.mean == Approx(shape).epsilon(0.02));
    CHECK(gamma.deviation == Approx(std::sqrt(shape)).epsilon(0.03));
  }
}

// Rounding to whole tokens adds a deviation of 0.29 token at most.
TEST_CASE("lengths have the mean and the deviation that were asked for") {
  workload::Draws draws(2, 0);
  const auto of = [&](const Length& length) {
    const auto lengths = workload::draw_lengths(length, kMany, draws);
    std::size_t i = 0;
    return moments([&] { return static_cast<double>(lengths[i++]); });
  };
  CHECK(of(kFixed).mean == 100);
  const Moments uniform = of({Length::Kind::uniform, 0, 0, 10, 30.0});
  CHECK(uniform.mean == Approx(20).epsilon(1e-4));
  CHECK(uniform.deviation == Approx(std::sqrt((21.0 * 21 - 1) / 12)).epsilon(1e-4));
  const Moments normal = of({Length::Kind::normal, 500, 50, 1, {}});
  CHECK(normal.mean == Approx(500).epsilon(1e-4));
  CHECK(normal.deviation == Approx(50).epsilon(1e-3));
  const Moments lognormal = of(kLognormal);
  CHECK(lognormal.mean == Approx(900).epsilon(1e-4));
  CHECK(lognormal.deviation == Approx(450).epsilon(1e-3));
  // What is below half a token counts as 1: 0.25 % of them, which moves the mean by far less.
  const Moments exponential = of(kExponential);
  CHECK(exponential.mean == Approx(200).epsilon(1e-4));
  CHECK(exponential.deviation == Approx(200).epsilon(1e-3));
}

// The k-th longest of n exponential draws is 1/k + ... + 1/n means long on average (A. Renyi,
// 1953).
TEST_CASE("lengths are what independent draws of them are on average, whatever the seed") {
  constexpr std::size_t kCount = 500;
  workload::Draws draws(1, 0), others(2, 0);
  auto lengths = workload::draw_lengths(kExponential, kCount, draws);
  auto other = workload::draw_lengths(kExponential, kCount, others);
  CHECK(lengths != other);
  std::sort(lengths.begin(), lengths.end());
  std::sort(other.begin(), other.end());
  CHECK(lengths == other);
  double expected = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    expected += 200.0 / static_cast<double>(kCount - i);
    REQUIRE(lengths[i] == Approx(expected).epsilon(0.005).margin(1));
  }
}

TEST_CASE("lengths are in random order: neighbours have nothing to do with each other") {
  workload::Draws draws(4, 0);
  const auto lengths = workload::draw_lengths({Length::Kind::uniform, 0, 0, 1, 1e6}, kMany, draws);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
    products += (lengths[i] - 5e5) * (lengths[i + 1] - 5e5);
    squares += (lengths[i] - 5e5) * (lengths[i] - 5e5);
  }
  CHECK(products / squares == Approx(0).margin(0.01));  // strays by 1 / sqrt(kMany)
}

TEST_CASE("lengths stay within their bounds, and reach them") {
  workload::Draws draws(3, 0);
  const auto cut = workload::draw_lengths({Length::Kind::normal, 100, 50, 80, 120.0}, 1000, draws);
  const auto uniform = workload::draw_lengths({Length::Kind::uniform, 0, 0, 1, 3.0}, 999, draws);
  const auto [least, most] = std::minmax_element(cut.begin(), cut.end());
  CHECK((*least == 80 && *most == 120));
  for (const int tokens : {1, 2, 3}) {
    CHECK(std::count(uniform.begin(), uniform.end(), tokens) == 333);
  }
}

TEST_CASE("the generator is the standard's: its ten thousandth number is the one it states") {
  // ISO C++ [rand.predef]: the 10000th draw of a default-constructed mt19937_64.
  std::mt19937_64 generator;
  generator.discard(9999);
  CHECK(generator() == 9981545732273789042U);
}

TEST_CASE("a seed gives the same requests, another seed others") {
  const Serving poisson = serving(kLognormal, kExponential, {Arrival::Kind::poisson, 1, 4, 1});
  const auto first = workload::draw_requests(poisson, 7),
             again = workload::draw_requests(poisson, 7),
             other = workload::draw_requests(poisson, 8);
  int equal = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    REQUIRE(first[i].arrival_us == again[i].arrival_us);
    REQUIRE(same_lengths(first[i], again[i]));
    equal += same_lengths(first[i], other[i]);
  }
  CHECK(equal < 10);
}

TEST_CASE("the rate moves the arrivals, not the lengths, and stretches time alone") {
  const auto at = [](double rate) {
    return workload::draw_requests(
        serving(kLognormal, kExponential, {Arrival::Kind::poisson, 1, rate, 1}), 5);
  };
  const auto slow = at(1), fast = at(4);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    REQUIRE(same_lengths(slow[i], fast[i]));
    // Each is rounded to a microsecond.
    REQUIRE(std::abs(slow[i].arrival_us - 4 * fast[i].arrival_us) <= 3);
  }
}

TEST_CASE("input and output lengths have streams of their own") {
  const Arrival burst{Arrival::Kind::burst, 1, 0, 1};
  const auto one = workload::draw_requests(serving(kLognormal, kExponential, burst), 5);
  const auto two = workload::draw_requests(serving(kFixed, kExponential, burst), 5);
  for (std::size_t i = 0; i < one.size(); ++i) {
    REQUIRE(one[i].output_tokens == two[i].output_tokens);
    REQUIRE(two[i].input_tokens == 100);
    REQUIRE(one[i].arrival_us == 0);
  }
}

TEST_CASE("intervals have the rate and the burstiness that were asked for") {
  for (const double burstiness : {0.5, 1.0, 3.0}) {
    for (const auto kind : {Arrival::Kind::poisson, Arrival::Kind::gamma}) {
      const double shape = kind == Arrival::Kind::poisson ? 1 : burstiness;
      const auto requests = workload::draw_requests(
          serving(kFixed, kFixed, {kind, 1, 50, burstiness}, kMany + 1), 11);
      CHECK(requests.front().arrival_us == 0);
      std::size_t i = 0;
      const Moments gaps = moments([&] {
        ++i;
        return static_cast<double>(requests[i].arrival_us - requests[i - 1].arrival_us);
      });
      CHECK(gaps.mean == Approx(20'000).epsilon(0.015));
      CHECK(gaps.deviation == Approx(20'000 / std::sqrt(shape)).epsilon(0.025));
    }
  }
}

TEST_CASE("requests of a file keep their lengths and prefixes; their times where arrival says so") {
  const std::vector<Request> rows = {{0, 10, 2, 0, 8}, {900, 20, 3, -1, 0}, {1800, 30, 4, -1, 0}};
  Serving file;
  file.requests.file = std::make_shared<const std::vector<Request>>(rows);
  file.requests.count = 2;
  file.arrival.kind = Arrival::Kind::file;
  const auto timed = workload::draw_requests(file, 1);
  REQUIRE(timed.size() == 2);
  CHECK(timed[1].arrival_us == 900);
  CHECK((timed[0].prefix == 0 && timed[0].prefix_tokens == 8));
  file.arrival.kind = Arrival::Kind::burst;
  CHECK(workload::draw_requests(file, 1)[1].arrival_us == 0);
}

TEST_CASE("shared prefixes go round, and end with the prompt") {
  Serving shared = serving(kFixed, kFixed, {Arrival::Kind::burst, 1, 0, 1}, 5);
  shared.requests.prefix_groups = 2;
  shared.requests.prefix_tokens = 160;
  const auto requests = workload::draw_requests(shared, 1);
  CHECK((requests[0].prefix == 0 && requests[1].prefix == 1 && requests[4].prefix == 0));
  CHECK(requests[0].prefix_tokens == 100);
}
