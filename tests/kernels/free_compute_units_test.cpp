// What kernels lose when another one holds compute units.
#include "sim/hardware/loader.h"
#include "sim/kernels/book.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::kernels;

namespace {

hardware::Cluster node_of(const std::string& name) {
  const auto document = json::Document::parse("{\"cluster\": \"" + name + "\"}", "test");
  return hardware::load_cluster(*document.root().find("cluster"), TRADEWIND_SOURCE_DIR);
}

/// Prices with ever fewer units, and checks that none is faster than the one before.
template <typename Price>
void check_never_faster(const Price& price) {
  double before = price(1.0);
  for (double free = 0.97; free > 0.03; free -= 0.03) {
    const double now = price(free);
    INFO("with " << free << " of the units free");
    // Sums in another order: rounding only.
    CHECK(now >= before * (1 - 1e-12));
    before = now;
  }
}

}  // namespace

TEST_CASE("no kernel is faster on fewer compute units") {
  for (const char* name : {"mi300x-8", "h100-8"}) {
    const hardware::Cluster cluster = node_of(name);
    const Book book(cluster, {}, {}, std::nullopt);
    INFO(name);
    for (const double m : {1., 17., 128., 1000., 4096., 16384.}) {
      for (const double n : {1280., 7168., 8192., 57344.}) {
        INFO("gemm " << m << " x " << n);
        check_never_faster([&](double free) { return book.gemm({m, n, 8192}, free).duration_s; });
      }
      check_never_faster([&](double free) {
        return book.elementwise({ElementwiseKind::residual_add, m, 8192, DataType::bf16}, free)
            .duration_s;
      });
    }
    for (const double tokens : {128., 2048., 16384.}) {
      AttentionPrefillShape shape;
      shape.batch = 1;
      shape.q_tokens = shape.kv_tokens = tokens;
      shape.q_heads = 8;
      shape.kv_heads = 1;
      shape.head_dim = 128;
      check_never_faster(
          [&](double free) { return book.attention_prefill(shape, free).duration_s; });
    }
  }
}

TEST_CASE("a roofline's matrix products lose the peak of the units that others hold") {
  const hardware::Cluster cluster = node_of("h100-8");
  const Book book(cluster, {}, {}, Roofline{});
  const GemmShape shape{8192, 8192, 8192};
  CHECK(book.gemm(shape, 0.75).duration_s == Approx(book.gemm(shape).duration_s / 0.75));
}

TEST_CASE("communication holds the compute units that its library takes, copy engines none") {
  // RCCL: 8 units fill one of seven links (ROCm XGMI blog); 304 units.
  const hardware::Cluster cluster = node_of("mi300x-8");
  const Book book(cluster, {}, {}, std::nullopt);
  CHECK(book.collective({CollectiveOp::all_gather, 8, 1, 1e8}).compute_unit_share ==
        Approx(56.0 / 304));
  CHECK(book.point_to_point(1e8, true).compute_unit_share == Approx(8.0 / 304));
  CHECK(book.copy(1e8, true).compute_unit_share == 0);
  // NCCL: NCCL_MAX_P2P_NCHANNELS is 16, one block a unit; 132 units.
  const hardware::Cluster hopper = node_of("h100-8");
  const Book nccl(hopper, {}, {}, std::nullopt);
  CHECK(nccl.point_to_point(1e8, true).compute_unit_share == Approx(16.0 / 132));
}
