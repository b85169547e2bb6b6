"""Lists the results of `tests/same_numbers`, which writes this file, for functions and for gradients of ops.

EQUAL functions make as many ops as in TensorFlow 1.15, after correction by the rules of `op_rules`. DIFFERENT ones do
not, in at least one specimen. GRADIENTS are the types of ops with equal gradients. All others were not measured.
"""

from typing import Dict, Set

EQUAL = frozenset("""
    Assert FIFOQueue FixedLengthRecordReader GradientTape IndexedSlices Print RandomShuffleQueue SparseTensor
    TFRecordReader TensorArray TextLineReader Variable WholeFileReader abs add add_n arg_max argmax argmin argsort
    as_string assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assign assign_add
    assign_sub boolean_mask case cast ceil check_numerics cholesky clip_by_average_norm clip_by_norm clip_by_value
    compat.v1.layers.dense compat.v1.train.AdamOptimizer concat cond constant constant_initializer
    contrib.crf.crf_decode contrib.crf.crf_log_likelihood contrib.data.map_and_batch contrib.data.parallel_interleave
    contrib.framework.get_or_create_global_step contrib.framework.local_variable contrib.framework.zero_initializer
    contrib.layers.apply_regularization contrib.layers.batch_norm contrib.layers.conv2d contrib.layers.convolution2d
    contrib.layers.crossed_column contrib.layers.dropout contrib.layers.flatten contrib.layers.fully_connected
    contrib.layers.l2_regularizer contrib.layers.layer_norm contrib.layers.variance_scaling_initializer
    contrib.layers.xavier_initializer contrib.legacy_seq2seq.embedding_rnn_seq2seq contrib.legacy_seq2seq.sequence_loss
    contrib.metrics.streaming_pearson_correlation contrib.rnn.BasicLSTMCell contrib.rnn.BasicRNNCell
    contrib.rnn.DropoutWrapper contrib.rnn.GRUCell contrib.rnn.LSTMCell contrib.rnn.LSTMStateTuple
    contrib.rnn.MultiRNNCell contrib.rnn.RNNCell contrib.rnn.static_bidirectional_rnn contrib.rnn.static_rnn
    contrib.seq2seq.dynamic_decode contrib.seq2seq.gather_tree contrib.seq2seq.sequence_loss contrib.slim.arg_scope
    contrib.slim.avg_pool2d contrib.slim.batch_norm contrib.slim.conv2d contrib.slim.conv2d_transpose
    contrib.slim.dropout contrib.slim.flatten contrib.slim.fully_connected contrib.slim.initializers.xavier_initializer
    contrib.slim.l2_regularizer contrib.slim.max_pool2d contrib.slim.repeat contrib.slim.separable_conv2d
    contrib.slim.separable_convolution2d contrib.slim.softmax contrib.slim.variable
    contrib.slim.variance_scaling_initializer contrib.staging.StagingArea contrib.summary.histogram
    contrib.summary.scalar contrib.training.bucket_by_sequence_length contrib.training.create_train_op
    control_dependencies convert_to_tensor cos count_nonzero cumprod cumsum custom_gradient data.Dataset.from_generator
    data.Dataset.from_tensor_slices data.Dataset.from_tensors data.Dataset.list_files data.Dataset.zip
    data.Iterator.from_structure data.TFRecordDataset data.TextLineDataset data.experimental.parallel_interleave
    data.make_initializable_iterator data.make_one_shot_iterator decode_csv decode_raw device diag diag_part div
    div_no_nan divide dynamic_partition edit_distance equal exp expand_dims extract_image_patches eye
    feature_column.numeric_column fft fill fixed_size_partitioner floor floordiv foldl gather_nd get_collection
    get_local_variable get_variable global_norm global_variables global_variables_initializer glorot_normal_initializer
    glorot_uniform_initializer greater greater_equal group identity image.convert_image_dtype image.crop_and_resize
    image.decode_jpeg image.decode_png image.encode_png image.non_max_suppression image.random_brightness
    image.random_contrast image.random_saturation image.resize_area image.resize_bilinear image.resize_images
    image.resize_nearest_neighbor image.sample_distorted_bounding_box import_graph_def initialize_all_variables
    initializers.constant initializers.identity initializers.random_normal initializers.random_uniform
    initializers.variance_scaling is_finite is_inf is_nan is_variable_initialized keras.Sequential
    keras.initializers.Constant keras.initializers.he_normal keras.layers.Activation keras.layers.Add
    keras.layers.BatchNormalization keras.layers.Conv2D keras.layers.Dense keras.layers.Dropout keras.layers.Embedding
    keras.layers.Flatten keras.layers.MaxPooling2D keras.layers.Reshape keras.models.Model keras.models.Sequential
    layers.Conv2D layers.Dense layers.Flatten layers.average_pooling2d layers.batch_normalization layers.conv1d
    layers.conv2d layers.conv2d_transpose layers.conv3d layers.dropout layers.flatten layers.max_pooling1d
    layers.max_pooling2d layers.separable_conv2d less less_equal lgamma linspace local_variables_initializer log log1p
    logical_and logical_not logical_or losses.absolute_difference losses.add_loss losses.compute_weighted_loss
    losses.cosine_distance losses.get_regularization_loss losses.get_total_loss losses.hinge_loss losses.huber_loss
    losses.log_loss losses.mean_squared_error losses.sigmoid_cross_entropy losses.softmax_cross_entropy
    losses.sparse_softmax_cross_entropy make_template map_fn math.reduce_mean math.reduce_sum math.rsqrt math.square
    math.squared_difference matmul matrix_band_part matrix_determinant matrix_diag matrix_diag_part matrix_inverse
    matrix_set_diag matrix_solve matrix_triangular_solve maximum meshgrid metrics.accuracy metrics.auc metrics.mean
    metrics.mean_squared_error minimum mod multinomial multiply name_scope negative nn.atrous_conv2d nn.avg_pool
    nn.avg_pool3d nn.batch_normalization nn.bias_add nn.bidirectional_dynamic_rnn nn.conv1d nn.conv2d
    nn.conv2d_transpose nn.conv3d nn.conv3d_transpose nn.convolution nn.crelu nn.ctc_loss nn.depthwise_conv2d nn.dropout
    nn.dynamic_rnn nn.elu nn.embedding_lookup_sparse nn.fused_batch_norm nn.in_top_k nn.l2_loss nn.l2_normalize
    nn.leaky_relu nn.local_response_normalization nn.log_softmax nn.lrn nn.max_pool nn.max_pool3d nn.moments nn.nce_loss
    nn.normalize_moments nn.pool nn.relu nn.relu6 nn.relu_layer nn.rnn_cell.BasicLSTMCell nn.rnn_cell.BasicRNNCell
    nn.rnn_cell.DropoutWrapper nn.rnn_cell.GRUCell nn.rnn_cell.LSTMCell nn.rnn_cell.LSTMStateTuple
    nn.rnn_cell.MultiRNNCell nn.rnn_cell.ResidualWrapper nn.safe_embedding_lookup_sparse nn.sampled_softmax_loss nn.selu
    nn.separable_conv2d nn.sigmoid nn.sigmoid_cross_entropy_with_logits nn.softmax nn.softmax_cross_entropy_with_logits
    nn.softmax_cross_entropy_with_logits_v2 nn.softplus nn.softsign nn.sparse_softmax_cross_entropy_with_logits
    nn.static_rnn nn.swish nn.tanh nn.top_k nn.weighted_cross_entropy_with_logits nn.xw_plus_b nn.zero_fraction no_op
    norm not_equal one_hot ones ones_initializer ones_like orthogonal_initializer pad placeholder
    placeholder_with_default pow py_func random.categorical random.normal random.uniform random_crop random_gamma
    random_normal random_normal_initializer random_poisson random_shuffle random_uniform random_uniform_initializer
    range rank read_file reduce_all reduce_any reduce_join reduce_logsumexp reduce_max reduce_mean reduce_min
    reduce_prod reduce_sum report_uninitialized_variables reshape reverse reverse_sequence round rsqrt scalar_mul scan
    scatter_nd scatter_update segment_sum self_adjoint_eig sequence_mask set_random_seed shape sigmoid sign sin size
    slice sort sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense split sqrt square squared_difference
    squeeze stack stop_gradient string_split subtract summary.histogram summary.image summary.merge summary.merge_all
    summary.scalar svd tables_initializer tanh tile to_double to_float to_int32 to_int64 trace train.AdadeltaOptimizer
    train.AdagradOptimizer train.AdamOptimizer train.ExponentialMovingAverage train.GradientDescentOptimizer
    train.MomentumOptimizer train.ProximalGradientDescentOptimizer train.QueueRunner train.RMSPropOptimizer train.Saver
    train.Scaffold train.Supervisor train.SyncReplicasOptimizer train.batch train.cosine_decay train.exponential_decay
    train.get_global_step train.get_or_create_global_step train.import_meta_graph train.inverse_time_decay
    train.piecewise_constant train.polynomial_decay train.shuffle_batch train.slice_input_producer
    train.string_input_producer trainable_variables transpose truediv truncated_normal truncated_normal_initializer
    tuple uniform_unit_scaling_initializer unsorted_segment_sum unstack variable_scope variables_initializer
    variance_scaling_initializer where while_loop zeros zeros_initializer zeros_like
""".split())

DIFFERENT = frozenset("""
    Tensor.__getitem__ assert_variables_initialized clip_by_global_norm confusion_matrix contrib.layers.optimize_loss
    contrib.opt.ExternalOptimizerInterface contrib.opt.ScipyOptimizerInterface contrib.resampler.resampler
    contrib.seq2seq.AttentionWrapper contrib.slim.learning.create_train_op data.Dataset.range
    data.experimental.shuffle_and_repeat einsum gather gradients image.crop_to_bounding_box image.decode_image
    image.flip_left_right image.pad_to_bounding_box image.per_image_standardization image.random_flip_left_right
    image.resize_image_with_crop_or_pad image.rgb_to_grayscale keras.layers.LSTM keras.regularizers.l2 layers.dense
    metrics.mean_iou nn.embedding_lookup nn.sufficient_statistics parse_single_example saturate_cast sparse_placeholder
    tensordot train.FtrlOptimizer
""".split())

GRADIENTS = frozenset("""
    Abs AddN AddV2 AvgPool AvgPool3D BatchMatMulV2 BatchToSpaceND BiasAdd Cast Ceil CheckNumerics ConcatV2 Conv2D
    Conv2DBackpropInput Conv3DBackpropInputV2 Cos CropAndResize Cumprod Cumsum DepthwiseConv2dNative DivNoNan Elu Exp
    ExpandDims Floor FusedBatchNormV3 GatherNd GatherV2 Identity L2Loss LRN LeakyRelu Lgamma Log Log1p LogSoftmax MatMul
    MaxPool MaxPool3D Maximum Mean Merge Minimum MirrorPad Mul Neg Pack Pad ParallelDynamicStitch Pow Print
    ReadVariableOp RealDiv Relu Relu6 Reshape ResizeBilinear ResizeNearestNeighbor ResourceGather ReverseSequence
    ReverseV2 Round Rsqrt Select SelectV2 Selu Sigmoid Sin Slice Softmax SoftmaxCrossEntropyWithLogits Softplus Softsign
    SpaceToBatchND SparseSoftmaxCrossEntropyWithLogits Split SplitV Sqrt Square SquaredDifference Squeeze StridedSlice
    Sub Sum Switch Tanh Tile TopKV2 Transpose Unpack
""".split())

BY_NAME: Dict[str, Set[str]] = {}
for name in EQUAL:
    BY_NAME.setdefault(name.rpartition(".")[2], set()).add(name)
