#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind::scenario {

/// Where kernel times come from.
enum class CostSource {
  calibrated,  ///< the fitted cost models of the hardware profile
  roofline,    ///< shares of the datasheet peaks plus a fixed latency: `ideal` and `paper`
};

/// Which library's kernels a runtime calls, by the names of the kernel CSVs.
struct Libraries {
  std::string gemm;
  std::string attention;
  std::string elementwise;
  std::string all_reduce;
  std::string collective;  ///< all other collectives, and the all-reduce's fallback by size
};

/// Shares of the datasheet peaks, for CostSource::roofline.
struct RooflineRates {
  double matrix_share = 1;
  double hbm_share = 1;
  double link_share = 1;
  std::optional<double> p2p_share;  ///< of point-to-point messages; none = link_share
  double kernel_latency_s = 0;
  double collective_latency_s = 0;
};

/// How decode attention spreads over the device.
enum class DecodeAttention : unsigned char {
  flash_decoding,  ///< splits the cache of a sequence over compute units where blocks are few
  unsplit,         ///< one compute unit reads all of it (TensorRT-LLM without multi_block_mode)
  paged,           ///< vLLM's own kernels up to 0.5 on ROCm: each query head reads its keys apart
};
inline constexpr std::array<std::string_view, 3> kDecodeAttentions = {"flash_decoding", "unsplit",
                                                                      "paged"};

/// Where the inputs of products below 16 bits are quantised.
enum class Quantization : unsigned char {
  product,   ///< in the library's call of the product, as its kernels were measured
  producer,  ///< in the norm, activation or attention that writes them: at no cost of its own
  apart,     ///< in a kernel of the runtime's own
};
inline constexpr std::array<std::string_view, 3> kQuantizations = {"product", "producer", "apart"};

/// What computes the loss from logits in 16 bits.
enum class Loss : unsigned char {
  fused,           ///< one kernel, or one that is compiled
  eager,           ///< torch.nn.functional.cross_entropy in fp32
  vocab_parallel,  ///< Megatron-LM's, in fp32: megatron/core/tensor_parallel/cross_entropy.py
};
inline constexpr std::array<std::string_view, 3> kLosses = {"fused", "eager", "vocab_parallel"};

/// How fast a version's kernels are, relative to the library that the hardware profile was
/// calibrated with (CostSource::calibrated only): above 0, at most 1.5.
struct KernelRates {
  double gemm_arithmetic = 1;  ///< of the matrix units and of what feeds them: many tokens
  /// Of products in 8 bits and fewer, times gemm_arithmetic: their libraries differ in what they
  /// fuse.
  double gemm_arithmetic_8bit = 1;
  double gemm_memory = 1;  ///< of the bandwidth that weights stream at: few tokens
  double attention_prefill = 1;
  double attention_decode = 1;  ///< of all but the launch, as in prefill
  /// Norms, activations, residuals, softmax of unfused attention: what a framework fuses, and what
  /// it moves besides (masks, casts, statistics), beside one fused kernel each. Not the loss nor
  /// the quantisation of weights, which are taken to be such kernels.
  double elementwise = 1;
  double all_reduce = 1;  ///< of the whole kernel, its barriers included
};

/// How training software behaves (section `training` of configs/runtimes/*.json).
struct TrainingBehaviour {
  /// Up to this sequence length attention writes its scores to memory: batched products, a fused
  /// softmax and dropout (Megatron-LM before FlashAttention); beyond, and by default,
  /// FlashAttention.
  int unfused_attention_tokens = 0;
  /// Recompute `selective`: every second product is kept (torchtitan's selective activation
  /// checkpointing by operation), and where that does not fit, as many whole layers as needed are
  /// computed again (the same by layer); else the attention core alone is (arXiv 2205.05198).
  bool keeps_alternate_products = false;
  /// Of a gradient as it is accumulated and reduced.
  double gradient_bytes = 4;
  /// A weight gradient's product adds to what the micro-batches before left, in its epilogue.
  bool fuses_accumulation = false;
  /// A bias's gradient is a kernel that sums its output's gradient, not part of one that reads it
  /// anyhow (PyTorch's linear layers; Transformer Engine and XLA fuse it).
  bool sums_bias_gradients = false;
  /// Gradients are reduced beside the backward pass, parameters gathered beside the forward pass.
  bool overlaps_gradients = true;
  bool overlaps_parameters = true;
  /// The collective of a column-parallel product's input gradient runs beside its weight gradient,
  /// the regathering of its input beside the input gradient (Megatron-LM; arXiv 2205.05198, section
  /// 4.2.2).
  bool overlaps_input_gradient = false;
  /// Messages hold the sender's computation: Megatron-LM, whose CUDA_DEVICE_MAX_CONNECTIONS of 1
  /// keeps kernels in the order of their launches, messages of interleaved schedules among them.
  /// What comes back is received in the same batch, both directions at once.
  bool sends_block = false;
  /// Added to a message between stages by the host, which waits for its end before it launches
  /// more: Megatron-LM's batch_p2p_sync, a device synchronisation after batched sends and receives.
  double message_host_s = 0;
  /// In an interleaved schedule a turn's messages, of a forward and the backward pass after it and
  /// what the next turn takes, go in one batch (Megatron-LM megatron/core/pipeline_parallel/
  /// schedules.py: send_forward_backward_recv_forward_backward).
  bool batches_messages = false;
  /// The device waits so long before every forward pass of a chunk: the host fetches the
  /// micro-batch, synchronising with the device, before it launches anything.
  double forward_host_s = 0;
  /// ZeRO-3 goes with pipeline parallelism.
  bool shards_weights_in_pipeline = false;
  /// Slices of a pair run on several streams, so that one's last wave is filled by the next one
  /// (Transformer Engine's userbuffers: three streams of computation).
  bool slices_fill_waves = false;
  /// Transformer Engine keeps the inputs of products in the type they multiply in.
  bool keeps_quantized_inputs = false;
  Loss loss = Loss::fused;
  /// A pipeline has buffers for what each micro-batch of a step sends it, whatever is in flight,
  /// and its last stage keeps the logits of all, in 16 bits, to join them when the step is over
  /// (torch.distributed.pipelining: PipelineStage's args_recv_info, output_chunks, merge_chunks).
  bool buffers_whole_step = false;
  /// ZeRO-2's gradients are whole while micro-batches add to them, and shared out after the last
  /// one (FSDP2 without gradient synchronisation in between, Megatron-LM's distributed optimizer);
  /// else after each.
  bool accumulates_whole_gradients = false;
  /// ZeRO-3, or FSDP that keeps what it gathered (ZeRO-2), gathers weights in the type they
  /// multiply in (torchtitan's float8 all-gather); else in 16 bits, and each device quantises what
  /// it gathered.
  bool gathers_quantized_weights = false;
  /// The backward pass's gradients, in 16 bits, stay beside those they are added to (DeepSpeed's
  /// BF16_Optimizer).
  bool keeps_backward_gradients = false;
  /// Models are trained with the dropout of their configuration; else without.
  bool dropout = true;
  /// Spread of the replicas' speeds (one standard deviation over the mean): a step waits for the
  /// slowest.
  double rank_spread = 0;
  /// Share of the HBM bandwidth that the optimizer's kernels reach.
  double optimizer_bandwidth = 0.8;
};

/// How serving software behaves around its kernels (configs/runtimes/*.json).
struct Runtime {
  std::string name;
  CostSource costs = CostSource::calibrated;
  std::map<std::string, Libraries> libraries;  ///< by accelerator vendor
  RooflineRates rates;

  /// Host time of one step that the devices wait for: scheduling, input preparation, sampling
  /// and detokenising, and the part of it that grows with the sequences in the step.
  double step_host_s = 0;
  double step_host_per_sequence_s = 0;
  /// And with their tokens in the cache: block tables built anew for every step.
  double step_host_per_token_s = 0;
  /// Eager: host time to launch one kernel, on a host stream that runs ahead of the device.
  bool eager_prefill = false;
  bool eager_decode = false;
  double kernel_launch_s = 0;
  /// Replayed graph: time to launch it, and the gap it leaves between two kernels.
  double graph_launch_s = 0;
  double graph_kernel_gap_s = 0;
  /// What an all-reduce waits for the last device: between other kernels devices arrive one by one,
  /// back to back, as collectives are measured, together.
  double all_reduce_wait_s = 0;

  KernelRates kernel_rates;
  /// Products of up to so many tokens are matrix-vector kernels of the runtime's own, which
  /// gemm_arithmetic says nothing about.
  int matrix_vector_tokens = 0;
  /// Decode attention reads a key once for all query heads of a group; else once for each of them.
  bool shares_kv_heads = true;
  bool shares_windowed_kv_heads = true;  ///< the same of models with a sliding window
  DecodeAttention decode_attention = DecodeAttention::flash_decoding;

  bool fused_add_rms_norm = true;   ///< residual add and norm in one kernel
  bool fused_rope_kv_write = true;  ///< RoPE also writes the KV cache
  Quantization quantization = Quantization::product;

  bool fused_projections = true;  ///< QKV in one product, gate and up in one
  /// Backward with sequence parallelism: the input of a column-parallel product was kept sharded
  /// and is gathered again for the weight gradient, as Megatron does (autograd alone keeps it
  /// whole).
  bool regathers_input = true;
  /// Inputs of products below 16 bits are quantised before an all-gather, which then moves them so.
  bool gathers_quantized = false;

  TrainingBehaviour training;

  int max_num_batched_tokens = 0;  ///< of a prefill step; 0 = the whole (nano-)batch at once

  // Of serving, where the scenario's scheduler says nothing else.
  std::string scheduler = "vllm";  ///< a name of workload/serving/scheduler.h
  int max_num_seqs = 256;
  bool enable_chunked_prefill = true;
  bool balances_steps = false;  ///< a step's tokens suit the requests' lengths: step_bounds.h
  std::string capacity_scheduler_policy = "guaranteed_no_evict";
  double request_host_s = 0;  ///< from a request's arrival to the scheduler: HTTP, tokenisation

  double gpu_memory_utilization = 1;  ///< share of a device's memory that the runtime may fill
  double reserved_bytes = 0;          ///< context, communication buffers, captured graphs
  /// Share of what weights, activations and reserve leave that the cache may take (TensorRT-LLM's
  /// kv_cache_free_gpu_mem_fraction).
  double kv_cache_free_share = 1;
  /// The cache of a sequence is whole blocks of so many tokens, with room for one token more;
  /// 1: exactly its tokens.
  int kv_block_tokens = 1;
  /// A static batch beyond the cache runs in waves, as continuous batching does with equal
  /// sequences; else it is infeasible.
  bool queues_beyond_kv_cache = false;
  bool counts_activations = true;
  /// Every weight counted at the GEMM data type without scales, as arXiv 2603.05692 does.
  bool weights_all_at_gemm_dtype = false;

  /// The same runtime with the constants measured on an architecture (runtime_on).
  std::map<std::string, std::shared_ptr<const Runtime>> on;
  /// What its constants do not stand on, for people; empty for those measured or exact.
  std::vector<std::string> notes;

  const Libraries& libraries_for(const std::string& vendor) const;
};

}  // namespace tradewind::scenario
