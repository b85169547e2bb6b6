"""The names of TensorFlow 1.15.5, which docs/generate/record_v1_names.py writes. A module is a class here."""

from typing import Any

AUTO_REUSE: Any
class AggregationMethod(Any): ...
Assert: Any
class AttrValue(Any): ...
COMPILER_VERSION: Any
CXX11_ABI_FLAG: Any
class ConditionalAccumulator(Any): ...
class ConditionalAccumulatorBase(Any): ...
class ConfigProto(Any): ...
class CriticalSection(Any): ...
class DType(Any): ...
class DeviceSpec(Any): ...
class Dimension(Any): ...
class Event(Any): ...
class FIFOQueue(Any): ...
class FixedLenFeature(Any): ...
class FixedLenSequenceFeature(Any): ...
class FixedLengthRecordReader(Any): ...
GIT_VERSION: Any
class GPUOptions(Any): ...
GRAPH_DEF_VERSION: Any
GRAPH_DEF_VERSION_MIN_CONSUMER: Any
GRAPH_DEF_VERSION_MIN_PRODUCER: Any
class GradientTape(Any): ...
class Graph(Any): ...
class GraphDef(Any): ...
class GraphKeys(Any): ...
class GraphOptions(Any): ...
class HistogramProto(Any): ...
class IdentityReader(Any): ...
class IndexedSlices(Any): ...
class IndexedSlicesSpec(Any): ...
class InteractiveSession(Any): ...
class LMDBReader(Any): ...
class LogMessage(Any): ...
MONOLITHIC_BUILD: Any
class MetaGraphDef(Any): ...
class Module(Any): ...
class NameAttrList(Any): ...
NoGradient: Any
class NodeDef(Any): ...
NotDifferentiable: Any
class OpError(Any): ...
class Operation(Any): ...
class OptimizerOptions(Any): ...
class OptionalSpec(Any): ...
class PaddingFIFOQueue(Any): ...
Print: Any
class PriorityQueue(Any): ...
QUANTIZED_DTYPES: Any
class QueueBase(Any): ...
class RaggedTensor(Any): ...
class RaggedTensorSpec(Any): ...
class RandomShuffleQueue(Any): ...
class ReaderBase(Any): ...
class RegisterGradient(Any): ...
class RunMetadata(Any): ...
class RunOptions(Any): ...
class Session(Any): ...
class SessionLog(Any): ...
class SparseConditionalAccumulator(Any): ...
class SparseFeature(Any): ...
class SparseTensor(Any): ...
class SparseTensorSpec(Any): ...
class SparseTensorValue(Any): ...
class Summary(Any): ...
class SummaryMetadata(Any): ...
class TFRecordReader(Any): ...
class Tensor(Any): ...
class TensorArray(Any): ...
class TensorArraySpec(Any): ...
class TensorInfo(Any): ...
class TensorShape(Any): ...
class TensorSpec(Any): ...
class TextLineReader(Any): ...
class TypeSpec(Any): ...
class UnconnectedGradients(Any): ...
VERSION: Any
class VarLenFeature(Any): ...
class Variable(Any): ...
class VariableAggregation(Any): ...
class VariableScope(Any): ...
class VariableSynchronization(Any): ...
class WholeFileReader(Any): ...
__version__: Any
abs: Any
accumulate_n: Any
acos: Any
acosh: Any
add: Any
add_check_numerics_ops: Any
add_n: Any
add_to_collection: Any
add_to_collections: Any
all_variables: Any
angle: Any
class app:
    flags: Any
    run: Any
arg_max: Any
arg_min: Any
argmax: Any
argmin: Any
argsort: Any
as_dtype: Any
as_string: Any
asin: Any
asinh: Any
assert_equal: Any
assert_greater: Any
assert_greater_equal: Any
assert_integer: Any
assert_less: Any
assert_less_equal: Any
assert_near: Any
assert_negative: Any
assert_non_negative: Any
assert_non_positive: Any
assert_none_equal: Any
assert_positive: Any
assert_proper_iterable: Any
assert_rank: Any
assert_rank_at_least: Any
assert_rank_in: Any
assert_same_float_dtype: Any
assert_scalar: Any
assert_type: Any
assert_variables_initialized: Any
assign: Any
assign_add: Any
assign_sub: Any
atan: Any
atan2: Any
atanh: Any
class audio:
    decode_wav: Any
    encode_wav: Any
class autograph:
    class experimental:
        class Feature(Any): ...
        do_not_convert: Any
        set_loop_options: Any
    set_verbosity: Any
    to_code: Any
    to_graph: Any
    trace: Any
batch_gather: Any
batch_scatter_update: Any
batch_to_space: Any
batch_to_space_nd: Any
betainc: Any
bfloat16: Any
bincount: Any
bitcast: Any
class bitwise:
    bitwise_and: Any
    bitwise_or: Any
    bitwise_xor: Any
    invert: Any
    left_shift: Any
    right_shift: Any
bool: Any
boolean_mask: Any
broadcast_dynamic_shape: Any
broadcast_static_shape: Any
broadcast_to: Any
case: Any
cast: Any
ceil: Any
check_numerics: Any
cholesky: Any
cholesky_solve: Any
clip_by_average_norm: Any
clip_by_global_norm: Any
clip_by_norm: Any
clip_by_value: Any
colocate_with: Any
compat: Any
complex: Any
complex128: Any
complex64: Any
concat: Any
cond: Any
class config:
    class experimental:
        class VirtualDeviceConfiguration(Any): ...
        get_device_policy: Any
        get_memory_growth: Any
        get_synchronous_execution: Any
        get_virtual_device_configuration: Any
        get_visible_devices: Any
        list_logical_devices: Any
        list_physical_devices: Any
        set_device_policy: Any
        set_memory_growth: Any
        set_synchronous_execution: Any
        set_virtual_device_configuration: Any
        set_visible_devices: Any
    experimental_connect_to_cluster: Any
    experimental_connect_to_host: Any
    experimental_list_devices: Any
    experimental_run_functions_eagerly: Any
    get_soft_device_placement: Any
    class optimizer:
        get_experimental_options: Any
        get_jit: Any
        set_experimental_options: Any
        set_jit: Any
    set_soft_device_placement: Any
    class threading:
        get_inter_op_parallelism_threads: Any
        get_intra_op_parallelism_threads: Any
        set_inter_op_parallelism_threads: Any
        set_intra_op_parallelism_threads: Any
confusion_matrix: Any
conj: Any
constant: Any
class constant_initializer(Any): ...
container: Any
contrib: Any
control_dependencies: Any
control_flow_v2_enabled: Any
convert_to_tensor: Any
convert_to_tensor_or_indexed_slices: Any
convert_to_tensor_or_sparse_tensor: Any
cos: Any
cosh: Any
count_nonzero: Any
count_up_to: Any
create_partitioned_variables: Any
cross: Any
cumprod: Any
cumsum: Any
custom_gradient: Any
class data:
    class Dataset(Any): ...
    class DatasetSpec(Any): ...
    class FixedLengthRecordDataset(Any): ...
    class Iterator(Any): ...
    class Options(Any): ...
    class TFRecordDataset(Any): ...
    class TextLineDataset(Any): ...
    class experimental:
        AUTOTUNE: Any
        class CheckpointInputPipelineHook(Any): ...
        Counter: Any
        class CsvDataset(Any): ...
        class DatasetStructure(Any): ...
        class DistributeOptions(Any): ...
        INFINITE_CARDINALITY: Any
        class MapVectorizationOptions(Any): ...
        class OptimizationOptions(Any): ...
        class Optional(Any): ...
        class OptionalStructure(Any): ...
        RaggedTensorStructure: Any
        class RandomDataset(Any): ...
        class Reducer(Any): ...
        SparseTensorStructure: Any
        class SqlDataset(Any): ...
        class StatsAggregator(Any): ...
        class StatsOptions(Any): ...
        class Structure(Any): ...
        class TFRecordWriter(Any): ...
        TensorArrayStructure: Any
        TensorStructure: Any
        class ThreadingOptions(Any): ...
        UNKNOWN_CARDINALITY: Any
        bucket_by_sequence_length: Any
        bytes_produced_stats: Any
        cardinality: Any
        choose_from_datasets: Any
        copy_to_device: Any
        dense_to_sparse_batch: Any
        enumerate_dataset: Any
        from_variant: Any
        get_next_as_optional: Any
        get_single_element: Any
        get_structure: Any
        group_by_reducer: Any
        group_by_window: Any
        ignore_errors: Any
        latency_stats: Any
        make_batched_features_dataset: Any
        make_csv_dataset: Any
        make_saveable_from_iterator: Any
        map_and_batch: Any
        map_and_batch_with_legacy_function: Any
        parallel_interleave: Any
        parse_example_dataset: Any
        prefetch_to_device: Any
        rejection_resample: Any
        sample_from_datasets: Any
        scan: Any
        shuffle_and_repeat: Any
        take_while: Any
        to_variant: Any
        unbatch: Any
        unique: Any
    get_output_classes: Any
    get_output_shapes: Any
    get_output_types: Any
    make_initializable_iterator: Any
    make_one_shot_iterator: Any
class debugging:
    Assert: Any
    assert_all_finite: Any
    assert_equal: Any
    assert_greater: Any
    assert_greater_equal: Any
    assert_integer: Any
    assert_less: Any
    assert_less_equal: Any
    assert_near: Any
    assert_negative: Any
    assert_non_negative: Any
    assert_non_positive: Any
    assert_none_equal: Any
    assert_positive: Any
    assert_proper_iterable: Any
    assert_rank: Any
    assert_rank_at_least: Any
    assert_rank_in: Any
    assert_same_float_dtype: Any
    assert_scalar: Any
    assert_shapes: Any
    assert_type: Any
    check_numerics: Any
    get_log_device_placement: Any
    is_finite: Any
    is_inf: Any
    is_nan: Any
    is_non_decreasing: Any
    is_numeric_tensor: Any
    is_strictly_increasing: Any
    set_log_device_placement: Any
decode_base64: Any
decode_compressed: Any
decode_csv: Any
decode_json_example: Any
decode_raw: Any
delete_session_tensor: Any
depth_to_space: Any
dequantize: Any
deserialize_many_sparse: Any
device: Any
diag: Any
diag_part: Any
digamma: Any
dimension_at_index: Any
dimension_value: Any
disable_control_flow_v2: Any
disable_eager_execution: Any
disable_resource_variables: Any
disable_tensor_equality: Any
disable_v2_behavior: Any
disable_v2_tensorshape: Any
class distribute:
    class CrossDeviceOps(Any): ...
    class HierarchicalCopyAllReduce(Any): ...
    class InputContext(Any): ...
    class InputReplicationMode(Any): ...
    class MirroredStrategy(Any): ...
    class NcclAllReduce(Any): ...
    class OneDeviceStrategy(Any): ...
    class ReduceOp(Any): ...
    class ReductionToOneDevice(Any): ...
    class ReplicaContext(Any): ...
    class Server(Any): ...
    class Strategy(Any): ...
    class StrategyExtended(Any): ...
    class cluster_resolver:
        class ClusterResolver(Any): ...
        class GCEClusterResolver(Any): ...
        class KubernetesClusterResolver(Any): ...
        class SimpleClusterResolver(Any): ...
        class SlurmClusterResolver(Any): ...
        class TFConfigClusterResolver(Any): ...
        class TPUClusterResolver(Any): ...
        class UnionResolver(Any): ...
    class experimental:
        class CentralStorageStrategy(Any): ...
        class CollectiveCommunication(Any): ...
        class MultiWorkerMirroredStrategy(Any): ...
        class ParameterServerStrategy(Any): ...
        class TPUStrategy(Any): ...
    experimental_set_strategy: Any
    get_loss_reduction: Any
    get_replica_context: Any
    get_strategy: Any
    has_strategy: Any
    in_cross_replica_context: Any
class distributions:
    class Bernoulli(Any): ...
    class Beta(Any): ...
    class Categorical(Any): ...
    class Dirichlet(Any): ...
    class DirichletMultinomial(Any): ...
    class Distribution(Any): ...
    class Exponential(Any): ...
    FULLY_REPARAMETERIZED: Any
    class Gamma(Any): ...
    class Laplace(Any): ...
    class Multinomial(Any): ...
    NOT_REPARAMETERIZED: Any
    class Normal(Any): ...
    class RegisterKL(Any): ...
    class ReparameterizationType(Any): ...
    class StudentT(Any): ...
    class Uniform(Any): ...
    kl_divergence: Any
div: Any
div_no_nan: Any
divide: Any
double: Any
class dtypes:
    class DType(Any): ...
    QUANTIZED_DTYPES: Any
    as_dtype: Any
    as_string: Any
    bfloat16: Any
    bool: Any
    cast: Any
    complex: Any
    complex128: Any
    complex64: Any
    double: Any
    float16: Any
    float32: Any
    float64: Any
    half: Any
    int16: Any
    int32: Any
    int64: Any
    int8: Any
    qint16: Any
    qint32: Any
    qint8: Any
    quint16: Any
    quint8: Any
    resource: Any
    saturate_cast: Any
    string: Any
    uint16: Any
    uint32: Any
    uint64: Any
    uint8: Any
    variant: Any
dynamic_partition: Any
dynamic_stitch: Any
edit_distance: Any
einsum: Any
enable_control_flow_v2: Any
enable_eager_execution: Any
enable_resource_variables: Any
enable_tensor_equality: Any
enable_v2_behavior: Any
enable_v2_tensorshape: Any
encode_base64: Any
ensure_shape: Any
equal: Any
erf: Any
erfc: Any
class errors:
    ABORTED: Any
    ALREADY_EXISTS: Any
    class AbortedError(Any): ...
    class AlreadyExistsError(Any): ...
    CANCELLED: Any
    class CancelledError(Any): ...
    DATA_LOSS: Any
    DEADLINE_EXCEEDED: Any
    class DataLossError(Any): ...
    class DeadlineExceededError(Any): ...
    FAILED_PRECONDITION: Any
    class FailedPreconditionError(Any): ...
    INTERNAL: Any
    INVALID_ARGUMENT: Any
    class InternalError(Any): ...
    class InvalidArgumentError(Any): ...
    NOT_FOUND: Any
    class NotFoundError(Any): ...
    OK: Any
    OUT_OF_RANGE: Any
    class OpError(Any): ...
    class OutOfRangeError(Any): ...
    PERMISSION_DENIED: Any
    class PermissionDeniedError(Any): ...
    RESOURCE_EXHAUSTED: Any
    class ResourceExhaustedError(Any): ...
    UNAUTHENTICATED: Any
    UNAVAILABLE: Any
    UNIMPLEMENTED: Any
    UNKNOWN: Any
    class UnauthenticatedError(Any): ...
    class UnavailableError(Any): ...
    class UnimplementedError(Any): ...
    class UnknownError(Any): ...
    error_code_from_exception_type: Any
    exception_type_from_error_code: Any
    class raise_exception_on_not_ok_status(Any): ...
class estimator:
    class BaselineClassifier(Any): ...
    class BaselineEstimator(Any): ...
    class BaselineRegressor(Any): ...
    class BestExporter(Any): ...
    class BinaryClassHead(Any): ...
    class BoostedTreesClassifier(Any): ...
    class BoostedTreesEstimator(Any): ...
    class BoostedTreesRegressor(Any): ...
    class CheckpointSaverHook(Any): ...
    class CheckpointSaverListener(Any): ...
    class DNNClassifier(Any): ...
    class DNNEstimator(Any): ...
    class DNNLinearCombinedClassifier(Any): ...
    class DNNLinearCombinedEstimator(Any): ...
    class DNNLinearCombinedRegressor(Any): ...
    class DNNRegressor(Any): ...
    class Estimator(Any): ...
    class EstimatorSpec(Any): ...
    class EvalSpec(Any): ...
    class Exporter(Any): ...
    class FeedFnHook(Any): ...
    class FinalExporter(Any): ...
    class FinalOpsHook(Any): ...
    class GlobalStepWaiterHook(Any): ...
    class Head(Any): ...
    class LatestExporter(Any): ...
    class LinearClassifier(Any): ...
    class LinearEstimator(Any): ...
    class LinearRegressor(Any): ...
    class LoggingTensorHook(Any): ...
    class LogisticRegressionHead(Any): ...
    class ModeKeys(Any): ...
    class MultiClassHead(Any): ...
    class MultiHead(Any): ...
    class MultiLabelHead(Any): ...
    class NanLossDuringTrainingError(Any): ...
    class NanTensorHook(Any): ...
    class PoissonRegressionHead(Any): ...
    class ProfilerHook(Any): ...
    class RegressionHead(Any): ...
    class RunConfig(Any): ...
    class SecondOrStepTimer(Any): ...
    class SessionRunArgs(Any): ...
    class SessionRunContext(Any): ...
    class SessionRunHook(Any): ...
    class SessionRunValues(Any): ...
    class StepCounterHook(Any): ...
    class StopAtStepHook(Any): ...
    class SummarySaverHook(Any): ...
    class TrainSpec(Any): ...
    class VocabInfo(Any): ...
    class WarmStartSettings(Any): ...
    add_metrics: Any
    classifier_parse_example_spec: Any
    class experimental:
        class InMemoryEvaluatorHook(Any): ...
        class KMeans(Any): ...
        class LinearSDCA(Any): ...
        build_raw_supervised_input_receiver_fn: Any
        call_logit_fn: Any
        dnn_logit_fn_builder: Any
        linear_logit_fn_builder: Any
        make_early_stopping_hook: Any
        make_stop_at_checkpoint_step_hook: Any
        stop_if_higher_hook: Any
        stop_if_lower_hook: Any
        stop_if_no_decrease_hook: Any
        stop_if_no_increase_hook: Any
    class export:
        class ClassificationOutput(Any): ...
        class ExportOutput(Any): ...
        class PredictOutput(Any): ...
        class RegressionOutput(Any): ...
        class ServingInputReceiver(Any): ...
        class TensorServingInputReceiver(Any): ...
        build_parsing_serving_input_receiver_fn: Any
        build_raw_serving_input_receiver_fn: Any
    class inputs:
        numpy_input_fn: Any
        pandas_input_fn: Any
    regressor_parse_example_spec: Any
    class tpu:
        class InputPipelineConfig(Any): ...
        class RunConfig(Any): ...
        class TPUConfig(Any): ...
        class TPUEstimator(Any): ...
        class TPUEstimatorSpec(Any): ...
        class experimental:
            class EmbeddingConfigSpec(Any): ...
    train_and_evaluate: Any
executing_eagerly: Any
exp: Any
expand_dims: Any
class experimental:
    function_executor_type: Any
    output_all_intermediates: Any
expm1: Any
extract_image_patches: Any
extract_volume_patches: Any
eye: Any
fake_quant_with_min_max_args: Any
fake_quant_with_min_max_args_gradient: Any
fake_quant_with_min_max_vars: Any
fake_quant_with_min_max_vars_gradient: Any
fake_quant_with_min_max_vars_per_channel: Any
fake_quant_with_min_max_vars_per_channel_gradient: Any
class feature_column:
    bucketized_column: Any
    categorical_column_with_hash_bucket: Any
    categorical_column_with_identity: Any
    categorical_column_with_vocabulary_file: Any
    categorical_column_with_vocabulary_list: Any
    crossed_column: Any
    embedding_column: Any
    indicator_column: Any
    input_layer: Any
    linear_model: Any
    make_parse_example_spec: Any
    numeric_column: Any
    sequence_categorical_column_with_hash_bucket: Any
    sequence_categorical_column_with_identity: Any
    sequence_categorical_column_with_vocabulary_file: Any
    sequence_categorical_column_with_vocabulary_list: Any
    sequence_numeric_column: Any
    shared_embedding_columns: Any
    weighted_categorical_column: Any
fft: Any
fft2d: Any
fft3d: Any
fill: Any
fingerprint: Any
fixed_size_partitioner: Any
flags: Any
float16: Any
float32: Any
float64: Any
floor: Any
floor_div: Any
floordiv: Any
floormod: Any
foldl: Any
foldr: Any
function: Any
gather: Any
gather_nd: Any
get_collection: Any
get_collection_ref: Any
get_default_graph: Any
get_default_session: Any
get_local_variable: Any
get_logger: Any
get_seed: Any
get_session_handle: Any
get_session_tensor: Any
get_static_value: Any
get_variable: Any
get_variable_scope: Any
class gfile:
    Copy: Any
    DeleteRecursively: Any
    Exists: Any
    class FastGFile(Any): ...
    class GFile(Any): ...
    Glob: Any
    IsDirectory: Any
    ListDirectory: Any
    MakeDirs: Any
    MkDir: Any
    class Open(Any): ...
    Remove: Any
    Rename: Any
    Stat: Any
    Walk: Any
global_norm: Any
global_variables: Any
global_variables_initializer: Any
class glorot_normal_initializer(Any): ...
class glorot_uniform_initializer(Any): ...
grad_pass_through: Any
gradients: Any
class graph_util:
    convert_variables_to_constants: Any
    extract_sub_graph: Any
    import_graph_def: Any
    must_run_on_cpu: Any
    remove_training_nodes: Any
    tensor_shape_from_node_def_name: Any
greater: Any
greater_equal: Any
group: Any
guarantee_const: Any
half: Any
hessians: Any
histogram_fixed_width: Any
histogram_fixed_width_bins: Any
identity: Any
identity_n: Any
ifft: Any
ifft2d: Any
ifft3d: Any
igamma: Any
igammac: Any
imag: Any
class image:
    class ResizeMethod(Any): ...
    adjust_brightness: Any
    adjust_contrast: Any
    adjust_gamma: Any
    adjust_hue: Any
    adjust_jpeg_quality: Any
    adjust_saturation: Any
    central_crop: Any
    combined_non_max_suppression: Any
    convert_image_dtype: Any
    crop_and_resize: Any
    crop_to_bounding_box: Any
    decode_and_crop_jpeg: Any
    decode_bmp: Any
    decode_gif: Any
    decode_image: Any
    decode_jpeg: Any
    decode_png: Any
    draw_bounding_boxes: Any
    encode_jpeg: Any
    encode_png: Any
    extract_glimpse: Any
    extract_image_patches: Any
    extract_jpeg_shape: Any
    extract_patches: Any
    flip_left_right: Any
    flip_up_down: Any
    grayscale_to_rgb: Any
    hsv_to_rgb: Any
    image_gradients: Any
    is_jpeg: Any
    non_max_suppression: Any
    non_max_suppression_overlaps: Any
    non_max_suppression_padded: Any
    non_max_suppression_with_scores: Any
    pad_to_bounding_box: Any
    per_image_standardization: Any
    psnr: Any
    random_brightness: Any
    random_contrast: Any
    random_crop: Any
    random_flip_left_right: Any
    random_flip_up_down: Any
    random_hue: Any
    random_jpeg_quality: Any
    random_saturation: Any
    resize: Any
    resize_area: Any
    resize_bicubic: Any
    resize_bilinear: Any
    resize_image_with_crop_or_pad: Any
    resize_image_with_pad: Any
    resize_images: Any
    resize_nearest_neighbor: Any
    resize_with_crop_or_pad: Any
    rgb_to_grayscale: Any
    rgb_to_hsv: Any
    rgb_to_yiq: Any
    rgb_to_yuv: Any
    rot90: Any
    sample_distorted_bounding_box: Any
    sobel_edges: Any
    ssim: Any
    ssim_multiscale: Any
    total_variation: Any
    transpose: Any
    transpose_image: Any
    yiq_to_rgb: Any
    yuv_to_rgb: Any
import_graph_def: Any
init_scope: Any
initialize_all_tables: Any
initialize_all_variables: Any
initialize_local_variables: Any
initialize_variables: Any
class initializers:
    class constant(Any): ...
    global_variables: Any
    class glorot_normal(Any): ...
    class glorot_uniform(Any): ...
    he_normal: Any
    he_uniform: Any
    class identity(Any): ...
    lecun_normal: Any
    lecun_uniform: Any
    local_variables: Any
    class ones(Any): ...
    class orthogonal(Any): ...
    class random_normal(Any): ...
    class random_uniform(Any): ...
    tables_initializer: Any
    class truncated_normal(Any): ...
    class uniform_unit_scaling(Any): ...
    variables: Any
    class variance_scaling(Any): ...
    class zeros(Any): ...
int16: Any
int32: Any
int64: Any
int8: Any
invert_permutation: Any
class io:
    class FixedLenFeature(Any): ...
    class FixedLenSequenceFeature(Any): ...
    class PaddingFIFOQueue(Any): ...
    class PriorityQueue(Any): ...
    class QueueBase(Any): ...
    class RandomShuffleQueue(Any): ...
    class SparseFeature(Any): ...
    class TFRecordCompressionType(Any): ...
    class TFRecordOptions(Any): ...
    class TFRecordWriter(Any): ...
    class VarLenFeature(Any): ...
    decode_and_crop_jpeg: Any
    decode_base64: Any
    decode_bmp: Any
    decode_compressed: Any
    decode_csv: Any
    decode_gif: Any
    decode_image: Any
    decode_jpeg: Any
    decode_json_example: Any
    decode_png: Any
    decode_proto: Any
    decode_raw: Any
    deserialize_many_sparse: Any
    encode_base64: Any
    encode_jpeg: Any
    encode_proto: Any
    extract_jpeg_shape: Any
    class gfile:
        class GFile(Any): ...
        copy: Any
        exists: Any
        glob: Any
        isdir: Any
        listdir: Any
        makedirs: Any
        mkdir: Any
        remove: Any
        rename: Any
        rmtree: Any
        stat: Any
        walk: Any
    is_jpeg: Any
    match_filenames_once: Any
    matching_files: Any
    parse_example: Any
    parse_sequence_example: Any
    parse_single_example: Any
    parse_single_sequence_example: Any
    parse_tensor: Any
    read_file: Any
    serialize_many_sparse: Any
    serialize_sparse: Any
    serialize_tensor: Any
    tf_record_iterator: Any
    write_file: Any
    write_graph: Any
is_finite: Any
is_inf: Any
is_nan: Any
is_non_decreasing: Any
is_numeric_tensor: Any
is_strictly_increasing: Any
is_tensor: Any
is_variable_initialized: Any
class keras:
    Input: Any
    class Model(Any): ...
    class Sequential(Any): ...
    __version__: Any
    class activations:
        deserialize: Any
        elu: Any
        exponential: Any
        get: Any
        hard_sigmoid: Any
        linear: Any
        relu: Any
        selu: Any
        serialize: Any
        sigmoid: Any
        softmax: Any
        softplus: Any
        softsign: Any
        tanh: Any
    class applications:
        DenseNet121: Any
        DenseNet169: Any
        DenseNet201: Any
        InceptionResNetV2: Any
        InceptionV3: Any
        MobileNet: Any
        MobileNetV2: Any
        NASNetLarge: Any
        NASNetMobile: Any
        ResNet101: Any
        ResNet101V2: Any
        ResNet152: Any
        ResNet152V2: Any
        ResNet50: Any
        ResNet50V2: Any
        VGG16: Any
        VGG19: Any
        Xception: Any
        class densenet:
            DenseNet121: Any
            DenseNet169: Any
            DenseNet201: Any
            decode_predictions: Any
            preprocess_input: Any
        class imagenet_utils:
            decode_predictions: Any
            preprocess_input: Any
        class inception_resnet_v2:
            InceptionResNetV2: Any
            decode_predictions: Any
            preprocess_input: Any
        class inception_v3:
            InceptionV3: Any
            decode_predictions: Any
            preprocess_input: Any
        class mobilenet:
            MobileNet: Any
            decode_predictions: Any
            preprocess_input: Any
        class mobilenet_v2:
            MobileNetV2: Any
            decode_predictions: Any
            preprocess_input: Any
        class nasnet:
            NASNetLarge: Any
            NASNetMobile: Any
            decode_predictions: Any
            preprocess_input: Any
        class resnet:
            ResNet101: Any
            ResNet152: Any
            ResNet50: Any
            decode_predictions: Any
            preprocess_input: Any
        class resnet50:
            ResNet50: Any
            decode_predictions: Any
            preprocess_input: Any
        class resnet_v2:
            ResNet101V2: Any
            ResNet152V2: Any
            ResNet50V2: Any
            decode_predictions: Any
            preprocess_input: Any
        class vgg16:
            VGG16: Any
            decode_predictions: Any
            preprocess_input: Any
        class vgg19:
            VGG19: Any
            decode_predictions: Any
            preprocess_input: Any
        class xception:
            Xception: Any
            decode_predictions: Any
            preprocess_input: Any
    class backend:
        abs: Any
        all: Any
        any: Any
        arange: Any
        argmax: Any
        argmin: Any
        backend: Any
        batch_dot: Any
        batch_flatten: Any
        batch_get_value: Any
        batch_normalization: Any
        batch_set_value: Any
        bias_add: Any
        binary_crossentropy: Any
        cast: Any
        cast_to_floatx: Any
        categorical_crossentropy: Any
        clear_session: Any
        clip: Any
        concatenate: Any
        constant: Any
        conv1d: Any
        conv2d: Any
        conv2d_transpose: Any
        conv3d: Any
        cos: Any
        count_params: Any
        ctc_batch_cost: Any
        ctc_decode: Any
        ctc_label_dense_to_sparse: Any
        cumprod: Any
        cumsum: Any
        dot: Any
        dropout: Any
        dtype: Any
        elu: Any
        epsilon: Any
        equal: Any
        eval: Any
        exp: Any
        expand_dims: Any
        eye: Any
        flatten: Any
        floatx: Any
        foldl: Any
        foldr: Any
        function: Any
        gather: Any
        get_session: Any
        get_uid: Any
        get_value: Any
        gradients: Any
        greater: Any
        greater_equal: Any
        hard_sigmoid: Any
        image_data_format: Any
        in_test_phase: Any
        in_top_k: Any
        in_train_phase: Any
        int_shape: Any
        is_sparse: Any
        l2_normalize: Any
        learning_phase: Any
        learning_phase_scope: Any
        less: Any
        less_equal: Any
        local_conv1d: Any
        local_conv2d: Any
        log: Any
        manual_variable_initialization: Any
        map_fn: Any
        max: Any
        maximum: Any
        mean: Any
        min: Any
        minimum: Any
        moving_average_update: Any
        class name_scope(Any): ...
        ndim: Any
        normalize_batch_in_training: Any
        not_equal: Any
        one_hot: Any
        ones: Any
        ones_like: Any
        permute_dimensions: Any
        placeholder: Any
        pool2d: Any
        pool3d: Any
        pow: Any
        print_tensor: Any
        prod: Any
        random_binomial: Any
        random_normal: Any
        random_normal_variable: Any
        random_uniform: Any
        random_uniform_variable: Any
        relu: Any
        repeat: Any
        repeat_elements: Any
        reset_uids: Any
        reshape: Any
        resize_images: Any
        resize_volumes: Any
        reverse: Any
        rnn: Any
        round: Any
        separable_conv2d: Any
        set_epsilon: Any
        set_floatx: Any
        set_image_data_format: Any
        set_learning_phase: Any
        set_session: Any
        set_value: Any
        shape: Any
        sigmoid: Any
        sign: Any
        sin: Any
        softmax: Any
        softplus: Any
        softsign: Any
        sparse_categorical_crossentropy: Any
        spatial_2d_padding: Any
        spatial_3d_padding: Any
        sqrt: Any
        square: Any
        squeeze: Any
        stack: Any
        std: Any
        stop_gradient: Any
        sum: Any
        switch: Any
        tanh: Any
        temporal_padding: Any
        tile: Any
        to_dense: Any
        transpose: Any
        truncated_normal: Any
        update: Any
        update_add: Any
        update_sub: Any
        var: Any
        variable: Any
        zeros: Any
        zeros_like: Any
    class callbacks:
        class BaseLogger(Any): ...
        class CSVLogger(Any): ...
        class Callback(Any): ...
        class EarlyStopping(Any): ...
        class History(Any): ...
        class LambdaCallback(Any): ...
        class LearningRateScheduler(Any): ...
        class ModelCheckpoint(Any): ...
        class ProgbarLogger(Any): ...
        class ReduceLROnPlateau(Any): ...
        class RemoteMonitor(Any): ...
        class TensorBoard(Any): ...
        class TerminateOnNaN(Any): ...
    class constraints:
        class Constraint(Any): ...
        class MaxNorm(Any): ...
        class MinMaxNorm(Any): ...
        class NonNeg(Any): ...
        class RadialConstraint(Any): ...
        class UnitNorm(Any): ...
        deserialize: Any
        get: Any
        class max_norm(Any): ...
        class min_max_norm(Any): ...
        class non_neg(Any): ...
        class radial_constraint(Any): ...
        serialize: Any
        class unit_norm(Any): ...
    class datasets:
        class boston_housing:
            load_data: Any
        class cifar10:
            load_data: Any
        class cifar100:
            load_data: Any
        class fashion_mnist:
            load_data: Any
        class imdb:
            get_word_index: Any
            load_data: Any
        class mnist:
            load_data: Any
        class reuters:
            get_word_index: Any
            load_data: Any
    class estimator:
        model_to_estimator: Any
    class experimental:
        class CosineDecay(Any): ...
        class CosineDecayRestarts(Any): ...
        class LinearCosineDecay(Any): ...
        class LinearModel(Any): ...
        class NoisyLinearCosineDecay(Any): ...
        class PeepholeLSTMCell(Any): ...
        class SequenceFeatures(Any): ...
        class WideDeepModel(Any): ...
        export_saved_model: Any
        load_from_saved_model: Any
        terminate_keras_multiprocessing_pools: Any
    class initializers:
        class Constant(Any): ...
        class Identity(Any): ...
        class Initializer(Any): ...
        class Ones(Any): ...
        class Orthogonal(Any): ...
        class RandomNormal(Any): ...
        class RandomUniform(Any): ...
        class TruncatedNormal(Any): ...
        class VarianceScaling(Any): ...
        class Zeros(Any): ...
        class constant(Any): ...
        deserialize: Any
        get: Any
        class glorot_normal(Any): ...
        class glorot_uniform(Any): ...
        he_normal: Any
        he_uniform: Any
        class identity(Any): ...
        lecun_normal: Any
        lecun_uniform: Any
        class normal(Any): ...
        class ones(Any): ...
        class orthogonal(Any): ...
        class random_normal(Any): ...
        class random_uniform(Any): ...
        serialize: Any
        class truncated_normal(Any): ...
        class uniform(Any): ...
        class zeros(Any): ...
    class layers:
        class AbstractRNNCell(Any): ...
        class Activation(Any): ...
        class ActivityRegularization(Any): ...
        class Add(Any): ...
        class AdditiveAttention(Any): ...
        class AlphaDropout(Any): ...
        class Attention(Any): ...
        class Average(Any): ...
        class AveragePooling1D(Any): ...
        class AveragePooling2D(Any): ...
        class AveragePooling3D(Any): ...
        class AvgPool1D(Any): ...
        class AvgPool2D(Any): ...
        class AvgPool3D(Any): ...
        class BatchNormalization(Any): ...
        class Bidirectional(Any): ...
        class Concatenate(Any): ...
        class Conv1D(Any): ...
        class Conv2D(Any): ...
        class Conv2DTranspose(Any): ...
        class Conv3D(Any): ...
        class Conv3DTranspose(Any): ...
        class ConvLSTM2D(Any): ...
        class Convolution1D(Any): ...
        class Convolution2D(Any): ...
        class Convolution2DTranspose(Any): ...
        class Convolution3D(Any): ...
        class Convolution3DTranspose(Any): ...
        class Cropping1D(Any): ...
        class Cropping2D(Any): ...
        class Cropping3D(Any): ...
        class CuDNNGRU(Any): ...
        class CuDNNLSTM(Any): ...
        class Dense(Any): ...
        class DenseFeatures(Any): ...
        class DepthwiseConv2D(Any): ...
        class Dot(Any): ...
        class Dropout(Any): ...
        class ELU(Any): ...
        class Embedding(Any): ...
        class Flatten(Any): ...
        class GRU(Any): ...
        class GRUCell(Any): ...
        class GaussianDropout(Any): ...
        class GaussianNoise(Any): ...
        class GlobalAveragePooling1D(Any): ...
        class GlobalAveragePooling2D(Any): ...
        class GlobalAveragePooling3D(Any): ...
        class GlobalAvgPool1D(Any): ...
        class GlobalAvgPool2D(Any): ...
        class GlobalAvgPool3D(Any): ...
        class GlobalMaxPool1D(Any): ...
        class GlobalMaxPool2D(Any): ...
        class GlobalMaxPool3D(Any): ...
        class GlobalMaxPooling1D(Any): ...
        class GlobalMaxPooling2D(Any): ...
        class GlobalMaxPooling3D(Any): ...
        Input: Any
        class InputLayer(Any): ...
        class InputSpec(Any): ...
        class LSTM(Any): ...
        class LSTMCell(Any): ...
        class Lambda(Any): ...
        class Layer(Any): ...
        class LayerNormalization(Any): ...
        class LeakyReLU(Any): ...
        class LocallyConnected1D(Any): ...
        class LocallyConnected2D(Any): ...
        class Masking(Any): ...
        class MaxPool1D(Any): ...
        class MaxPool2D(Any): ...
        class MaxPool3D(Any): ...
        class MaxPooling1D(Any): ...
        class MaxPooling2D(Any): ...
        class MaxPooling3D(Any): ...
        class Maximum(Any): ...
        class Minimum(Any): ...
        class Multiply(Any): ...
        class PReLU(Any): ...
        class Permute(Any): ...
        class RNN(Any): ...
        class ReLU(Any): ...
        class RepeatVector(Any): ...
        class Reshape(Any): ...
        class SeparableConv1D(Any): ...
        class SeparableConv2D(Any): ...
        class SeparableConvolution1D(Any): ...
        class SeparableConvolution2D(Any): ...
        class SimpleRNN(Any): ...
        class SimpleRNNCell(Any): ...
        class Softmax(Any): ...
        class SpatialDropout1D(Any): ...
        class SpatialDropout2D(Any): ...
        class SpatialDropout3D(Any): ...
        class StackedRNNCells(Any): ...
        class Subtract(Any): ...
        class ThresholdedReLU(Any): ...
        class TimeDistributed(Any): ...
        class UpSampling1D(Any): ...
        class UpSampling2D(Any): ...
        class UpSampling3D(Any): ...
        class Wrapper(Any): ...
        class ZeroPadding1D(Any): ...
        class ZeroPadding2D(Any): ...
        class ZeroPadding3D(Any): ...
        add: Any
        average: Any
        concatenate: Any
        deserialize: Any
        dot: Any
        maximum: Any
        minimum: Any
        multiply: Any
        serialize: Any
        subtract: Any
    class losses:
        class BinaryCrossentropy(Any): ...
        class CategoricalCrossentropy(Any): ...
        class CategoricalHinge(Any): ...
        class CosineSimilarity(Any): ...
        class Hinge(Any): ...
        class Huber(Any): ...
        KLD: Any
        class KLDivergence(Any): ...
        class LogCosh(Any): ...
        class Loss(Any): ...
        MAE: Any
        MAPE: Any
        MSE: Any
        MSLE: Any
        class MeanAbsoluteError(Any): ...
        class MeanAbsolutePercentageError(Any): ...
        class MeanSquaredError(Any): ...
        class MeanSquaredLogarithmicError(Any): ...
        class Poisson(Any): ...
        class SparseCategoricalCrossentropy(Any): ...
        class SquaredHinge(Any): ...
        binary_crossentropy: Any
        categorical_crossentropy: Any
        categorical_hinge: Any
        cosine: Any
        cosine_proximity: Any
        cosine_similarity: Any
        deserialize: Any
        get: Any
        hinge: Any
        kld: Any
        kullback_leibler_divergence: Any
        logcosh: Any
        mae: Any
        mape: Any
        mean_absolute_error: Any
        mean_absolute_percentage_error: Any
        mean_squared_error: Any
        mean_squared_logarithmic_error: Any
        mse: Any
        msle: Any
        poisson: Any
        serialize: Any
        sparse_categorical_crossentropy: Any
        squared_hinge: Any
    class metrics:
        class AUC(Any): ...
        class Accuracy(Any): ...
        class BinaryAccuracy(Any): ...
        class BinaryCrossentropy(Any): ...
        class CategoricalAccuracy(Any): ...
        class CategoricalCrossentropy(Any): ...
        class CategoricalHinge(Any): ...
        class CosineSimilarity(Any): ...
        class FalseNegatives(Any): ...
        class FalsePositives(Any): ...
        class Hinge(Any): ...
        KLD: Any
        class KLDivergence(Any): ...
        class LogCoshError(Any): ...
        MAE: Any
        MAPE: Any
        MSE: Any
        MSLE: Any
        class Mean(Any): ...
        class MeanAbsoluteError(Any): ...
        class MeanAbsolutePercentageError(Any): ...
        class MeanIoU(Any): ...
        class MeanRelativeError(Any): ...
        class MeanSquaredError(Any): ...
        class MeanSquaredLogarithmicError(Any): ...
        class MeanTensor(Any): ...
        class Metric(Any): ...
        class Poisson(Any): ...
        class Precision(Any): ...
        class Recall(Any): ...
        class RootMeanSquaredError(Any): ...
        class SensitivityAtSpecificity(Any): ...
        class SparseCategoricalAccuracy(Any): ...
        class SparseCategoricalCrossentropy(Any): ...
        class SparseTopKCategoricalAccuracy(Any): ...
        class SpecificityAtSensitivity(Any): ...
        class SquaredHinge(Any): ...
        class Sum(Any): ...
        class TopKCategoricalAccuracy(Any): ...
        class TrueNegatives(Any): ...
        class TruePositives(Any): ...
        binary_accuracy: Any
        binary_crossentropy: Any
        categorical_accuracy: Any
        categorical_crossentropy: Any
        cosine: Any
        cosine_proximity: Any
        deserialize: Any
        get: Any
        hinge: Any
        kld: Any
        kullback_leibler_divergence: Any
        mae: Any
        mape: Any
        mean_absolute_error: Any
        mean_absolute_percentage_error: Any
        mean_squared_error: Any
        mean_squared_logarithmic_error: Any
        mse: Any
        msle: Any
        poisson: Any
        serialize: Any
        sparse_categorical_accuracy: Any
        sparse_categorical_crossentropy: Any
        sparse_top_k_categorical_accuracy: Any
        squared_hinge: Any
        top_k_categorical_accuracy: Any
    class mixed_precision:
        class experimental:
            class LossScaleOptimizer(Any): ...
            class Policy(Any): ...
            global_policy: Any
            set_policy: Any
    class models:
        class Model(Any): ...
        class Sequential(Any): ...
        clone_model: Any
        load_model: Any
        model_from_config: Any
        model_from_json: Any
        model_from_yaml: Any
        save_model: Any
    class optimizers:
        class Adadelta(Any): ...
        class Adagrad(Any): ...
        class Adam(Any): ...
        class Adamax(Any): ...
        class Ftrl(Any): ...
        class Nadam(Any): ...
        class Optimizer(Any): ...
        class RMSprop(Any): ...
        class SGD(Any): ...
        deserialize: Any
        get: Any
        class schedules:
            class ExponentialDecay(Any): ...
            class InverseTimeDecay(Any): ...
            class LearningRateSchedule(Any): ...
            class PiecewiseConstantDecay(Any): ...
            class PolynomialDecay(Any): ...
            deserialize: Any
            serialize: Any
        serialize: Any
    class preprocessing:
        class image:
            class DirectoryIterator(Any): ...
            class ImageDataGenerator(Any): ...
            class Iterator(Any): ...
            class NumpyArrayIterator(Any): ...
            apply_affine_transform: Any
            apply_brightness_shift: Any
            apply_channel_shift: Any
            array_to_img: Any
            img_to_array: Any
            load_img: Any
            random_brightness: Any
            random_channel_shift: Any
            random_rotation: Any
            random_shear: Any
            random_shift: Any
            random_zoom: Any
            save_img: Any
        class sequence:
            class TimeseriesGenerator(Any): ...
            make_sampling_table: Any
            pad_sequences: Any
            skipgrams: Any
        class text:
            class Tokenizer(Any): ...
            hashing_trick: Any
            one_hot: Any
            text_to_word_sequence: Any
    class regularizers:
        class L1L2(Any): ...
        class Regularizer(Any): ...
        deserialize: Any
        get: Any
        l1: Any
        l1_l2: Any
        l2: Any
        serialize: Any
    class utils:
        class CustomObjectScope(Any): ...
        class GeneratorEnqueuer(Any): ...
        class HDF5Matrix(Any): ...
        class OrderedEnqueuer(Any): ...
        class Progbar(Any): ...
        class Sequence(Any): ...
        class SequenceEnqueuer(Any): ...
        convert_all_kernels_in_model: Any
        custom_object_scope: Any
        deserialize_keras_object: Any
        get_custom_objects: Any
        get_file: Any
        get_source_inputs: Any
        model_to_dot: Any
        multi_gpu_model: Any
        normalize: Any
        plot_model: Any
        serialize_keras_object: Any
        to_categorical: Any
    class wrappers:
        class scikit_learn:
            class KerasClassifier(Any): ...
            class KerasRegressor(Any): ...
class layers:
    class AveragePooling1D(Any): ...
    class AveragePooling2D(Any): ...
    class AveragePooling3D(Any): ...
    class BatchNormalization(Any): ...
    class Conv1D(Any): ...
    class Conv2D(Any): ...
    class Conv2DTranspose(Any): ...
    class Conv3D(Any): ...
    class Conv3DTranspose(Any): ...
    class Dense(Any): ...
    class Dropout(Any): ...
    class Flatten(Any): ...
    class InputSpec(Any): ...
    class Layer(Any): ...
    class MaxPooling1D(Any): ...
    class MaxPooling2D(Any): ...
    class MaxPooling3D(Any): ...
    class SeparableConv1D(Any): ...
    class SeparableConv2D(Any): ...
    average_pooling1d: Any
    average_pooling2d: Any
    average_pooling3d: Any
    batch_normalization: Any
    conv1d: Any
    conv2d: Any
    conv2d_transpose: Any
    conv3d: Any
    conv3d_transpose: Any
    dense: Any
    dropout: Any
    class experimental:
        keras_style_scope: Any
        set_keras_style: Any
    flatten: Any
    max_pooling1d: Any
    max_pooling2d: Any
    max_pooling3d: Any
    separable_conv1d: Any
    separable_conv2d: Any
lbeta: Any
less: Any
less_equal: Any
lgamma: Any
lin_space: Any
class linalg:
    class LinearOperator(Any): ...
    class LinearOperatorAdjoint(Any): ...
    class LinearOperatorBlockDiag(Any): ...
    class LinearOperatorCirculant(Any): ...
    class LinearOperatorCirculant2D(Any): ...
    class LinearOperatorCirculant3D(Any): ...
    class LinearOperatorComposition(Any): ...
    class LinearOperatorDiag(Any): ...
    class LinearOperatorFullMatrix(Any): ...
    class LinearOperatorHouseholder(Any): ...
    class LinearOperatorIdentity(Any): ...
    class LinearOperatorInversion(Any): ...
    class LinearOperatorKronecker(Any): ...
    class LinearOperatorLowRankUpdate(Any): ...
    class LinearOperatorLowerTriangular(Any): ...
    class LinearOperatorScaledIdentity(Any): ...
    class LinearOperatorToeplitz(Any): ...
    class LinearOperatorZeros(Any): ...
    adjoint: Any
    band_part: Any
    cholesky: Any
    cholesky_solve: Any
    cross: Any
    det: Any
    diag: Any
    diag_part: Any
    eigh: Any
    eigvalsh: Any
    einsum: Any
    expm: Any
    eye: Any
    global_norm: Any
    inv: Any
    l2_normalize: Any
    logdet: Any
    logm: Any
    lstsq: Any
    lu: Any
    matmul: Any
    matrix_rank: Any
    matrix_transpose: Any
    matvec: Any
    norm: Any
    normalize: Any
    pinv: Any
    qr: Any
    set_diag: Any
    slogdet: Any
    solve: Any
    sqrtm: Any
    svd: Any
    tensor_diag: Any
    tensor_diag_part: Any
    tensordot: Any
    trace: Any
    transpose: Any
    triangular_solve: Any
    tridiagonal_matmul: Any
    tridiagonal_solve: Any
linspace: Any
class lite:
    class Interpreter(Any): ...
    class OpHint(Any): ...
    class OpsSet(Any): ...
    class Optimize(Any): ...
    class RepresentativeDataset(Any): ...
    class TFLiteConverter(Any): ...
    class TargetSpec(Any): ...
    class TocoConverter(Any): ...
    class constants:
        FLOAT: Any
        FLOAT16: Any
        GRAPHVIZ_DOT: Any
        INT32: Any
        INT64: Any
        INT8: Any
        QUANTIZED_UINT8: Any
        STRING: Any
        TFLITE: Any
    class experimental:
        convert_op_hints_to_stubs: Any
        get_potentially_supported_ops: Any
        load_delegate: Any
        class nn:
            class TFLiteLSTMCell(Any): ...
            class TfLiteRNNCell(Any): ...
            dynamic_rnn: Any
    toco_convert: Any
load_file_system_library: Any
load_library: Any
load_op_library: Any
local_variables: Any
local_variables_initializer: Any
log: Any
log1p: Any
log_sigmoid: Any
class logging:
    DEBUG: Any
    ERROR: Any
    FATAL: Any
    INFO: Any
    TaskLevelStatusMessage: Any
    WARN: Any
    debug: Any
    error: Any
    fatal: Any
    flush: Any
    get_verbosity: Any
    info: Any
    log: Any
    log_every_n: Any
    log_first_n: Any
    log_if: Any
    set_verbosity: Any
    vlog: Any
    warn: Any
    warning: Any
logical_and: Any
logical_not: Any
logical_or: Any
logical_xor: Any
class lookup:
    class KeyValueTensorInitializer(Any): ...
    class StaticHashTable(Any): ...
    class StaticVocabularyTable(Any): ...
    class TextFileIndex(Any): ...
    class TextFileInitializer(Any): ...
    class experimental:
        class DenseHashTable(Any): ...
class losses:
    class Reduction(Any): ...
    absolute_difference: Any
    add_loss: Any
    compute_weighted_loss: Any
    cosine_distance: Any
    get_losses: Any
    get_regularization_loss: Any
    get_regularization_losses: Any
    get_total_loss: Any
    hinge_loss: Any
    huber_loss: Any
    log_loss: Any
    mean_pairwise_squared_error: Any
    mean_squared_error: Any
    sigmoid_cross_entropy: Any
    softmax_cross_entropy: Any
    sparse_softmax_cross_entropy: Any
make_ndarray: Any
make_template: Any
make_tensor_proto: Any
class manip:
    batch_to_space_nd: Any
    gather_nd: Any
    reshape: Any
    reverse: Any
    roll: Any
    scatter_nd: Any
    space_to_batch_nd: Any
    tile: Any
map_fn: Any
matching_files: Any
class math:
    abs: Any
    accumulate_n: Any
    acos: Any
    acosh: Any
    add: Any
    add_n: Any
    angle: Any
    argmax: Any
    argmin: Any
    asin: Any
    asinh: Any
    atan: Any
    atan2: Any
    atanh: Any
    bessel_i0: Any
    bessel_i0e: Any
    bessel_i1: Any
    bessel_i1e: Any
    betainc: Any
    bincount: Any
    ceil: Any
    confusion_matrix: Any
    conj: Any
    cos: Any
    cosh: Any
    count_nonzero: Any
    cumprod: Any
    cumsum: Any
    cumulative_logsumexp: Any
    digamma: Any
    divide: Any
    divide_no_nan: Any
    equal: Any
    erf: Any
    erfc: Any
    exp: Any
    expm1: Any
    floor: Any
    floordiv: Any
    floormod: Any
    greater: Any
    greater_equal: Any
    igamma: Any
    igammac: Any
    imag: Any
    in_top_k: Any
    invert_permutation: Any
    is_finite: Any
    is_inf: Any
    is_nan: Any
    is_non_decreasing: Any
    is_strictly_increasing: Any
    l2_normalize: Any
    lbeta: Any
    less: Any
    less_equal: Any
    lgamma: Any
    log: Any
    log1p: Any
    log_sigmoid: Any
    log_softmax: Any
    logical_and: Any
    logical_not: Any
    logical_or: Any
    logical_xor: Any
    maximum: Any
    minimum: Any
    mod: Any
    multiply: Any
    multiply_no_nan: Any
    negative: Any
    nextafter: Any
    not_equal: Any
    polygamma: Any
    polyval: Any
    pow: Any
    real: Any
    reciprocal: Any
    reciprocal_no_nan: Any
    reduce_all: Any
    reduce_any: Any
    reduce_euclidean_norm: Any
    reduce_logsumexp: Any
    reduce_max: Any
    reduce_mean: Any
    reduce_min: Any
    reduce_prod: Any
    reduce_std: Any
    reduce_sum: Any
    reduce_variance: Any
    rint: Any
    round: Any
    rsqrt: Any
    scalar_mul: Any
    segment_max: Any
    segment_mean: Any
    segment_min: Any
    segment_prod: Any
    segment_sum: Any
    sigmoid: Any
    sign: Any
    sin: Any
    sinh: Any
    softmax: Any
    softplus: Any
    softsign: Any
    sqrt: Any
    square: Any
    squared_difference: Any
    subtract: Any
    tan: Any
    tanh: Any
    top_k: Any
    truediv: Any
    unsorted_segment_max: Any
    unsorted_segment_mean: Any
    unsorted_segment_min: Any
    unsorted_segment_prod: Any
    unsorted_segment_sqrt_n: Any
    unsorted_segment_sum: Any
    xdivy: Any
    xlogy: Any
    zero_fraction: Any
    zeta: Any
matmul: Any
matrix_band_part: Any
matrix_determinant: Any
matrix_diag: Any
matrix_diag_part: Any
matrix_inverse: Any
matrix_set_diag: Any
matrix_solve: Any
matrix_solve_ls: Any
matrix_square_root: Any
matrix_transpose: Any
matrix_triangular_solve: Any
maximum: Any
meshgrid: Any
class metrics:
    accuracy: Any
    auc: Any
    average_precision_at_k: Any
    false_negatives: Any
    false_negatives_at_thresholds: Any
    false_positives: Any
    false_positives_at_thresholds: Any
    mean: Any
    mean_absolute_error: Any
    mean_cosine_distance: Any
    mean_iou: Any
    mean_per_class_accuracy: Any
    mean_relative_error: Any
    mean_squared_error: Any
    mean_tensor: Any
    percentage_below: Any
    precision: Any
    precision_at_k: Any
    precision_at_thresholds: Any
    precision_at_top_k: Any
    recall: Any
    recall_at_k: Any
    recall_at_thresholds: Any
    recall_at_top_k: Any
    root_mean_squared_error: Any
    sensitivity_at_specificity: Any
    sparse_average_precision_at_k: Any
    sparse_precision_at_k: Any
    specificity_at_sensitivity: Any
    true_negatives: Any
    true_negatives_at_thresholds: Any
    true_positives: Any
    true_positives_at_thresholds: Any
min_max_variable_partitioner: Any
minimum: Any
mod: Any
model_variables: Any
moving_average_variables: Any
multinomial: Any
multiply: Any
class name_scope(Any): ...
negative: Any
class nest:
    assert_same_structure: Any
    flatten: Any
    is_nested: Any
    map_structure: Any
    pack_sequence_as: Any
newaxis: Any
class nn:
    all_candidate_sampler: Any
    atrous_conv2d: Any
    atrous_conv2d_transpose: Any
    avg_pool: Any
    avg_pool1d: Any
    avg_pool2d: Any
    avg_pool3d: Any
    avg_pool_v2: Any
    batch_norm_with_global_normalization: Any
    batch_normalization: Any
    bias_add: Any
    bidirectional_dynamic_rnn: Any
    collapse_repeated: Any
    compute_accidental_hits: Any
    compute_average_loss: Any
    conv1d: Any
    conv1d_transpose: Any
    conv2d: Any
    conv2d_backprop_filter: Any
    conv2d_backprop_input: Any
    conv2d_transpose: Any
    conv3d: Any
    conv3d_backprop_filter: Any
    conv3d_backprop_filter_v2: Any
    conv3d_transpose: Any
    conv_transpose: Any
    convolution: Any
    crelu: Any
    ctc_beam_search_decoder: Any
    ctc_beam_search_decoder_v2: Any
    ctc_greedy_decoder: Any
    ctc_loss: Any
    ctc_loss_v2: Any
    ctc_unique_labels: Any
    depth_to_space: Any
    depthwise_conv2d: Any
    depthwise_conv2d_backprop_filter: Any
    depthwise_conv2d_backprop_input: Any
    depthwise_conv2d_native: Any
    depthwise_conv2d_native_backprop_filter: Any
    depthwise_conv2d_native_backprop_input: Any
    dilation2d: Any
    dropout: Any
    dynamic_rnn: Any
    elu: Any
    embedding_lookup: Any
    embedding_lookup_sparse: Any
    erosion2d: Any
    fixed_unigram_candidate_sampler: Any
    fractional_avg_pool: Any
    fractional_max_pool: Any
    fused_batch_norm: Any
    in_top_k: Any
    l2_loss: Any
    l2_normalize: Any
    leaky_relu: Any
    learned_unigram_candidate_sampler: Any
    local_response_normalization: Any
    log_poisson_loss: Any
    log_softmax: Any
    log_uniform_candidate_sampler: Any
    lrn: Any
    max_pool: Any
    max_pool1d: Any
    max_pool2d: Any
    max_pool3d: Any
    max_pool_v2: Any
    max_pool_with_argmax: Any
    moments: Any
    nce_loss: Any
    normalize_moments: Any
    pool: Any
    quantized_avg_pool: Any
    quantized_conv2d: Any
    quantized_max_pool: Any
    quantized_relu_x: Any
    raw_rnn: Any
    relu: Any
    relu6: Any
    relu_layer: Any
    class rnn_cell:
        class BasicLSTMCell(Any): ...
        class BasicRNNCell(Any): ...
        class DeviceWrapper(Any): ...
        class DropoutWrapper(Any): ...
        class GRUCell(Any): ...
        class LSTMCell(Any): ...
        class LSTMStateTuple(Any): ...
        class MultiRNNCell(Any): ...
        class RNNCell(Any): ...
        class ResidualWrapper(Any): ...
    safe_embedding_lookup_sparse: Any
    sampled_softmax_loss: Any
    scale_regularization_loss: Any
    selu: Any
    separable_conv2d: Any
    sigmoid: Any
    sigmoid_cross_entropy_with_logits: Any
    softmax: Any
    softmax_cross_entropy_with_logits: Any
    softmax_cross_entropy_with_logits_v2: Any
    softplus: Any
    softsign: Any
    space_to_batch: Any
    space_to_depth: Any
    sparse_softmax_cross_entropy_with_logits: Any
    static_bidirectional_rnn: Any
    static_rnn: Any
    static_state_saving_rnn: Any
    sufficient_statistics: Any
    swish: Any
    tanh: Any
    top_k: Any
    uniform_candidate_sampler: Any
    weighted_cross_entropy_with_logits: Any
    weighted_moments: Any
    with_space_to_batch: Any
    xw_plus_b: Any
    zero_fraction: Any
no_gradient: Any
no_op: Any
no_regularizer: Any
nondifferentiable_batch_function: Any
norm: Any
not_equal: Any
numpy_function: Any
one_hot: Any
ones: Any
class ones_initializer(Any): ...
ones_like: Any
op_scope: Any
class orthogonal_initializer(Any): ...
pad: Any
parallel_stack: Any
parse_example: Any
parse_single_example: Any
parse_single_sequence_example: Any
parse_tensor: Any
placeholder: Any
placeholder_with_default: Any
polygamma: Any
pow: Any
print: Any
class profiler:
    class AdviceProto(Any): ...
    class GraphNodeProto(Any): ...
    class MultiGraphNodeProto(Any): ...
    class OpLogProto(Any): ...
    class ProfileOptionBuilder(Any): ...
    class Profiler(Any): ...
    advise: Any
    profile: Any
    write_op_log: Any
py_func: Any
py_function: Any
class python_io:
    class TFRecordCompressionType(Any): ...
    class TFRecordOptions(Any): ...
    class TFRecordWriter(Any): ...
    tf_record_iterator: Any
qint16: Any
qint32: Any
qint8: Any
qr: Any
class quantization:
    dequantize: Any
    fake_quant_with_min_max_args: Any
    fake_quant_with_min_max_args_gradient: Any
    fake_quant_with_min_max_vars: Any
    fake_quant_with_min_max_vars_gradient: Any
    fake_quant_with_min_max_vars_per_channel: Any
    fake_quant_with_min_max_vars_per_channel_gradient: Any
    quantize: Any
    quantize_and_dequantize: Any
    quantized_concat: Any
quantize: Any
quantize_v2: Any
quantized_concat: Any
class queue:
    class FIFOQueue(Any): ...
    class PaddingFIFOQueue(Any): ...
    class PriorityQueue(Any): ...
    class QueueBase(Any): ...
    class RandomShuffleQueue(Any): ...
quint16: Any
quint8: Any
class ragged:
    class RaggedTensorValue(Any): ...
    boolean_mask: Any
    constant: Any
    constant_value: Any
    map_flat_values: Any
    placeholder: Any
    range: Any
    row_splits_to_segment_ids: Any
    segment_ids_to_row_splits: Any
    stack: Any
    stack_dynamic_partitions: Any
class random:
    all_candidate_sampler: Any
    categorical: Any
    class experimental:
        class Generator(Any): ...
        create_rng_state: Any
        get_global_generator: Any
        set_global_generator: Any
    fixed_unigram_candidate_sampler: Any
    gamma: Any
    get_seed: Any
    learned_unigram_candidate_sampler: Any
    log_uniform_candidate_sampler: Any
    multinomial: Any
    normal: Any
    poisson: Any
    set_random_seed: Any
    shuffle: Any
    stateless_categorical: Any
    stateless_multinomial: Any
    stateless_normal: Any
    stateless_truncated_normal: Any
    stateless_uniform: Any
    truncated_normal: Any
    uniform: Any
    uniform_candidate_sampler: Any
random_crop: Any
random_gamma: Any
random_normal: Any
class random_normal_initializer(Any): ...
random_poisson: Any
random_shuffle: Any
random_uniform: Any
class random_uniform_initializer(Any): ...
range: Any
rank: Any
raw_ops: Any
read_file: Any
real: Any
realdiv: Any
reciprocal: Any
recompute_grad: Any
reduce_all: Any
reduce_any: Any
reduce_join: Any
reduce_logsumexp: Any
reduce_max: Any
reduce_mean: Any
reduce_min: Any
reduce_prod: Any
reduce_sum: Any
regex_replace: Any
register_tensor_conversion_function: Any
repeat: Any
report_uninitialized_variables: Any
required_space_to_batch_paddings: Any
reset_default_graph: Any
reshape: Any
resource: Any
class resource_loader:
    get_data_files_path: Any
    get_path_to_datafile: Any
    get_root_dir_with_all_resources: Any
    load_resource: Any
    readahead_file_path: Any
resource_variables_enabled: Any
reverse: Any
reverse_sequence: Any
reverse_v2: Any
rint: Any
roll: Any
round: Any
rsqrt: Any
saturate_cast: Any
class saved_model:
    ASSETS_DIRECTORY: Any
    ASSETS_KEY: Any
    class Builder(Any): ...
    CLASSIFY_INPUTS: Any
    CLASSIFY_METHOD_NAME: Any
    CLASSIFY_OUTPUT_CLASSES: Any
    CLASSIFY_OUTPUT_SCORES: Any
    DEFAULT_SERVING_SIGNATURE_DEF_KEY: Any
    GPU: Any
    LEGACY_INIT_OP_KEY: Any
    MAIN_OP_KEY: Any
    PREDICT_INPUTS: Any
    PREDICT_METHOD_NAME: Any
    PREDICT_OUTPUTS: Any
    REGRESS_INPUTS: Any
    REGRESS_METHOD_NAME: Any
    REGRESS_OUTPUTS: Any
    SAVED_MODEL_FILENAME_PB: Any
    SAVED_MODEL_FILENAME_PBTXT: Any
    SAVED_MODEL_SCHEMA_VERSION: Any
    SERVING: Any
    TPU: Any
    TRAINING: Any
    VARIABLES_DIRECTORY: Any
    VARIABLES_FILENAME: Any
    build_signature_def: Any
    build_tensor_info: Any
    class builder:
        class SavedModelBuilder(Any): ...
    classification_signature_def: Any
    class constants:
        ASSETS_DIRECTORY: Any
        ASSETS_KEY: Any
        LEGACY_INIT_OP_KEY: Any
        MAIN_OP_KEY: Any
        SAVED_MODEL_FILENAME_PB: Any
        SAVED_MODEL_FILENAME_PBTXT: Any
        SAVED_MODEL_SCHEMA_VERSION: Any
        VARIABLES_DIRECTORY: Any
        VARIABLES_FILENAME: Any
    contains_saved_model: Any
    class experimental:
        save: Any
    get_tensor_from_tensor_info: Any
    is_valid_signature: Any
    load: Any
    load_v2: Any
    class loader:
        load: Any
        maybe_saved_model_directory: Any
    class main_op:
        main_op: Any
        main_op_with_restore: Any
    main_op_with_restore: Any
    maybe_saved_model_directory: Any
    predict_signature_def: Any
    regression_signature_def: Any
    save: Any
    class signature_constants:
        CLASSIFY_INPUTS: Any
        CLASSIFY_METHOD_NAME: Any
        CLASSIFY_OUTPUT_CLASSES: Any
        CLASSIFY_OUTPUT_SCORES: Any
        DEFAULT_SERVING_SIGNATURE_DEF_KEY: Any
        PREDICT_INPUTS: Any
        PREDICT_METHOD_NAME: Any
        PREDICT_OUTPUTS: Any
        REGRESS_INPUTS: Any
        REGRESS_METHOD_NAME: Any
        REGRESS_OUTPUTS: Any
    class signature_def_utils:
        build_signature_def: Any
        classification_signature_def: Any
        is_valid_signature: Any
        predict_signature_def: Any
        regression_signature_def: Any
    simple_save: Any
    class tag_constants:
        GPU: Any
        SERVING: Any
        TPU: Any
        TRAINING: Any
    class utils:
        build_tensor_info: Any
        get_tensor_from_tensor_info: Any
scalar_mul: Any
scan: Any
scatter_add: Any
scatter_div: Any
scatter_max: Any
scatter_min: Any
scatter_mul: Any
scatter_nd: Any
scatter_nd_add: Any
scatter_nd_sub: Any
scatter_nd_update: Any
scatter_sub: Any
scatter_update: Any
searchsorted: Any
segment_max: Any
segment_mean: Any
segment_min: Any
segment_prod: Any
segment_sum: Any
self_adjoint_eig: Any
self_adjoint_eigvals: Any
sequence_mask: Any
serialize_many_sparse: Any
serialize_sparse: Any
serialize_tensor: Any
set_random_seed: Any
setdiff1d: Any
class sets:
    difference: Any
    intersection: Any
    set_difference: Any
    set_intersection: Any
    set_size: Any
    set_union: Any
    size: Any
    union: Any
shape: Any
shape_n: Any
sigmoid: Any
sign: Any
class signal:
    dct: Any
    fft: Any
    fft2d: Any
    fft3d: Any
    fftshift: Any
    frame: Any
    hamming_window: Any
    hann_window: Any
    idct: Any
    ifft: Any
    ifft2d: Any
    ifft3d: Any
    ifftshift: Any
    inverse_stft: Any
    inverse_stft_window_fn: Any
    irfft: Any
    irfft2d: Any
    irfft3d: Any
    linear_to_mel_weight_matrix: Any
    mfccs_from_log_mel_spectrograms: Any
    overlap_and_add: Any
    rfft: Any
    rfft2d: Any
    rfft3d: Any
    stft: Any
sin: Any
sinh: Any
size: Any
slice: Any
sort: Any
space_to_batch: Any
space_to_batch_nd: Any
space_to_depth: Any
class sparse:
    class SparseConditionalAccumulator(Any): ...
    class SparseTensor(Any): ...
    add: Any
    concat: Any
    cross: Any
    cross_hashed: Any
    expand_dims: Any
    eye: Any
    fill_empty_rows: Any
    from_dense: Any
    mask: Any
    matmul: Any
    maximum: Any
    merge: Any
    minimum: Any
    placeholder: Any
    reduce_max: Any
    reduce_max_sparse: Any
    reduce_sum: Any
    reduce_sum_sparse: Any
    reorder: Any
    reset_shape: Any
    reshape: Any
    retain: Any
    segment_mean: Any
    segment_sqrt_n: Any
    segment_sum: Any
    slice: Any
    softmax: Any
    sparse_dense_matmul: Any
    split: Any
    to_dense: Any
    to_indicator: Any
    transpose: Any
sparse_add: Any
sparse_concat: Any
sparse_fill_empty_rows: Any
sparse_mask: Any
sparse_matmul: Any
sparse_maximum: Any
sparse_merge: Any
sparse_minimum: Any
sparse_placeholder: Any
sparse_reduce_max: Any
sparse_reduce_max_sparse: Any
sparse_reduce_sum: Any
sparse_reduce_sum_sparse: Any
sparse_reorder: Any
sparse_reset_shape: Any
sparse_reshape: Any
sparse_retain: Any
sparse_segment_mean: Any
sparse_segment_sqrt_n: Any
sparse_segment_sum: Any
sparse_slice: Any
sparse_softmax: Any
sparse_split: Any
sparse_tensor_dense_matmul: Any
sparse_tensor_to_dense: Any
sparse_to_dense: Any
sparse_to_indicator: Any
sparse_transpose: Any
class spectral:
    dct: Any
    fft: Any
    fft2d: Any
    fft3d: Any
    idct: Any
    ifft: Any
    ifft2d: Any
    ifft3d: Any
    irfft: Any
    irfft2d: Any
    irfft3d: Any
    rfft: Any
    rfft2d: Any
    rfft3d: Any
split: Any
sqrt: Any
square: Any
squared_difference: Any
squeeze: Any
stack: Any
stop_gradient: Any
strided_slice: Any
string: Any
string_join: Any
string_split: Any
string_strip: Any
string_to_hash_bucket: Any
string_to_hash_bucket_fast: Any
string_to_hash_bucket_strong: Any
string_to_number: Any
class strings:
    as_string: Any
    bytes_split: Any
    format: Any
    join: Any
    length: Any
    lower: Any
    ngrams: Any
    reduce_join: Any
    regex_full_match: Any
    regex_replace: Any
    split: Any
    strip: Any
    substr: Any
    to_hash_bucket: Any
    to_hash_bucket_fast: Any
    to_hash_bucket_strong: Any
    to_number: Any
    unicode_decode: Any
    unicode_decode_with_offsets: Any
    unicode_encode: Any
    unicode_script: Any
    unicode_split: Any
    unicode_split_with_offsets: Any
    unicode_transcode: Any
    unsorted_segment_join: Any
    upper: Any
substr: Any
subtract: Any
class summary:
    class Event(Any): ...
    class FileWriter(Any): ...
    class FileWriterCache(Any): ...
    class SessionLog(Any): ...
    class Summary(Any): ...
    class SummaryDescription(Any): ...
    class TaggedRunMetadata(Any): ...
    all_v2_summary_ops: Any
    audio: Any
    get_summary_description: Any
    histogram: Any
    image: Any
    initialize: Any
    merge: Any
    merge_all: Any
    scalar: Any
    tensor_summary: Any
    text: Any
svd: Any
switch_case: Any
class sysconfig:
    CXX11_ABI_FLAG: Any
    MONOLITHIC_BUILD: Any
    get_compile_flags: Any
    get_include: Any
    get_lib: Any
    get_link_flags: Any
tables_initializer: Any
tan: Any
tanh: Any
tensor_scatter_add: Any
tensor_scatter_nd_add: Any
tensor_scatter_nd_sub: Any
tensor_scatter_nd_update: Any
tensor_scatter_sub: Any
tensor_scatter_update: Any
tensordot: Any
class test:
    class Benchmark(Any): ...
    class StubOutForTesting(Any): ...
    class TestCase(Any): ...
    assert_equal_graph_def: Any
    benchmark_config: Any
    compute_gradient: Any
    compute_gradient_error: Any
    create_local_cluster: Any
    get_temp_dir: Any
    gpu_device_name: Any
    is_built_with_cuda: Any
    is_built_with_gpu_support: Any
    is_built_with_rocm: Any
    is_gpu_available: Any
    main: Any
    mock: Any
    test_src_dir_path: Any
tile: Any
timestamp: Any
to_bfloat16: Any
to_complex128: Any
to_complex64: Any
to_double: Any
to_float: Any
to_int32: Any
to_int64: Any
class tpu:
    class CrossShardOptimizer(Any): ...
    batch_parallel: Any
    bfloat16_scope: Any
    core: Any
    cross_replica_sum: Any
    class experimental:
        class AdagradParameters(Any): ...
        class AdamParameters(Any): ...
        class DeviceAssignment(Any): ...
        class StochasticGradientDescentParameters(Any): ...
        embedding_column: Any
        initialize_tpu_system: Any
        shared_embedding_columns: Any
    initialize_system: Any
    outside_compilation: Any
    replicate: Any
    rewrite: Any
    shard: Any
    shutdown_system: Any
trace: Any
class train:
    class AdadeltaOptimizer(Any): ...
    class AdagradDAOptimizer(Any): ...
    class AdagradOptimizer(Any): ...
    class AdamOptimizer(Any): ...
    class BytesList(Any): ...
    class Checkpoint(Any): ...
    class CheckpointManager(Any): ...
    class CheckpointSaverHook(Any): ...
    class CheckpointSaverListener(Any): ...
    class ChiefSessionCreator(Any): ...
    class ClusterDef(Any): ...
    class ClusterSpec(Any): ...
    class Coordinator(Any): ...
    class Example(Any): ...
    class ExponentialMovingAverage(Any): ...
    class Feature(Any): ...
    class FeatureList(Any): ...
    class FeatureLists(Any): ...
    class Features(Any): ...
    class FeedFnHook(Any): ...
    class FinalOpsHook(Any): ...
    class FloatList(Any): ...
    class FtrlOptimizer(Any): ...
    class GlobalStepWaiterHook(Any): ...
    class GradientDescentOptimizer(Any): ...
    class Int64List(Any): ...
    class JobDef(Any): ...
    class LoggingTensorHook(Any): ...
    class LooperThread(Any): ...
    class MomentumOptimizer(Any): ...
    class MonitoredSession(Any): ...
    MonitoredTrainingSession: Any
    class NanLossDuringTrainingError(Any): ...
    class NanTensorHook(Any): ...
    NewCheckpointReader: Any
    class Optimizer(Any): ...
    class ProfilerHook(Any): ...
    class ProximalAdagradOptimizer(Any): ...
    class ProximalGradientDescentOptimizer(Any): ...
    class QueueRunner(Any): ...
    class RMSPropOptimizer(Any): ...
    class Saver(Any): ...
    class SaverDef(Any): ...
    class Scaffold(Any): ...
    class SecondOrStepTimer(Any): ...
    class SequenceExample(Any): ...
    class Server(Any): ...
    class ServerDef(Any): ...
    class SessionCreator(Any): ...
    class SessionManager(Any): ...
    class SessionRunArgs(Any): ...
    class SessionRunContext(Any): ...
    class SessionRunHook(Any): ...
    class SessionRunValues(Any): ...
    class SingularMonitoredSession(Any): ...
    class StepCounterHook(Any): ...
    class StopAtStepHook(Any): ...
    class SummarySaverHook(Any): ...
    class Supervisor(Any): ...
    class SyncReplicasOptimizer(Any): ...
    class VocabInfo(Any): ...
    class WorkerSessionCreator(Any): ...
    add_queue_runner: Any
    assert_global_step: Any
    basic_train_loop: Any
    batch: Any
    batch_join: Any
    checkpoint_exists: Any
    checkpoints_iterator: Any
    cosine_decay: Any
    cosine_decay_restarts: Any
    create_global_step: Any
    do_quantize_training_on_graphdef: Any
    class experimental:
        class DynamicLossScale(Any): ...
        class FixedLossScale(Any): ...
        class LossScale(Any): ...
        class MixedPrecisionLossScaleOptimizer(Any): ...
        class PythonState(Any): ...
        disable_mixed_precision_graph_rewrite: Any
        enable_mixed_precision_graph_rewrite: Any
    exponential_decay: Any
    export_meta_graph: Any
    generate_checkpoint_state_proto: Any
    get_checkpoint_mtimes: Any
    get_checkpoint_state: Any
    get_global_step: Any
    get_or_create_global_step: Any
    global_step: Any
    import_meta_graph: Any
    init_from_checkpoint: Any
    input_producer: Any
    inverse_time_decay: Any
    latest_checkpoint: Any
    limit_epochs: Any
    linear_cosine_decay: Any
    list_variables: Any
    load_checkpoint: Any
    load_variable: Any
    match_filenames_once: Any
    maybe_batch: Any
    maybe_batch_join: Any
    maybe_shuffle_batch: Any
    maybe_shuffle_batch_join: Any
    natural_exp_decay: Any
    noisy_linear_cosine_decay: Any
    piecewise_constant: Any
    piecewise_constant_decay: Any
    polynomial_decay: Any
    class queue_runner:
        class QueueRunner(Any): ...
        add_queue_runner: Any
        start_queue_runners: Any
    range_input_producer: Any
    remove_checkpoint: Any
    replica_device_setter: Any
    sdca_fprint: Any
    sdca_optimizer: Any
    sdca_shrink_l1: Any
    shuffle_batch: Any
    shuffle_batch_join: Any
    slice_input_producer: Any
    start_queue_runners: Any
    string_input_producer: Any
    summary_iterator: Any
    update_checkpoint_state: Any
    warm_start: Any
    write_graph: Any
trainable_variables: Any
transpose: Any
truediv: Any
truncated_normal: Any
class truncated_normal_initializer(Any): ...
truncatediv: Any
truncatemod: Any
tuple: Any
uint16: Any
uint32: Any
uint64: Any
uint8: Any
class uniform_unit_scaling_initializer(Any): ...
unique: Any
unique_with_counts: Any
unravel_index: Any
unsorted_segment_max: Any
unsorted_segment_mean: Any
unsorted_segment_min: Any
unsorted_segment_prod: Any
unsorted_segment_sqrt_n: Any
unsorted_segment_sum: Any
unstack: Any
class user_ops:
    my_fact: Any
variable_axis_size_partitioner: Any
variable_creator_scope: Any
variable_op_scope: Any
class variable_scope(Any): ...
variables_initializer: Any
class variance_scaling_initializer(Any): ...
variant: Any
vectorized_map: Any
verify_tensor_all_finite: Any
class version:
    COMPILER_VERSION: Any
    GIT_VERSION: Any
    GRAPH_DEF_VERSION: Any
    GRAPH_DEF_VERSION_MIN_CONSUMER: Any
    GRAPH_DEF_VERSION_MIN_PRODUCER: Any
    VERSION: Any
where: Any
where_v2: Any
while_loop: Any
wrap_function: Any
write_file: Any
class xla:
    class experimental:
        compile: Any
        jit_scope: Any
zeros: Any
class zeros_initializer(Any): ...
zeros_like: Any
zeta: Any
