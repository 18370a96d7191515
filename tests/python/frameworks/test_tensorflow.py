"""Beside TensorFlow: its arrays are logged, and the package, TensorFlow, PyTorch, pyarrow and protobuf live in one process, whichever comes first.
The quick run has the same without TensorFlow, which is a quarter of a gigabyte to fetch."""

import pytest
import taffrail

pytest.importorskip("tensorflow")

USES = {
    "taffrail": """
run = taffrail.init(name="n", machine_load=False)
run.log({"a": 1.0, "picture": taffrail.Image(bytes_of_picture)}, step=1)
run.finish()
assert taffrail.read("").run("n")["a"].value.tolist() == [1.0]
""",
    "tensorflow": "assert float(tensorflow.linalg.matmul([[2.0]], [[3.0]])[0, 0]) == 6.0\nassert tensorflow.io.decode_png(tensorflow.io.encode_png(bytes_of_picture)).shape == (2, 2, 3)\n",
    "torch": "assert float(torch.ones(2, 2).sum()) == 4.0\n",
    "pyarrow.parquet": "pyarrow.parquet.write_table(pyarrow.table({'a': [1]}), 'a.parquet', compression='zstd')\nassert pyarrow.parquet.read_table('a.parquet').num_rows == 1\n",
    "google.protobuf.struct_pb2": "assert google.protobuf.struct_pb2.Value.FromString(google.protobuf.struct_pb2.Value(number_value=1).SerializeToString()).number_value == 1\n",
}
NAMES = list(USES)
# Each of them first, last and in the middle, and each before and behind each other.
ORDERS = [names[start:] + names[:start] for names in (NAMES, NAMES[::-1]) for start in range(len(NAMES))]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(name.split(".")[0] for name in order))
def test_all_of_them_live_in_one_process(program, root, order):
    imports = "".join(f"import {name}\n" for name in order)
    program("import numpy\nbytes_of_picture = numpy.zeros((2, 2, 3), 'uint8')\n" + imports + "".join(USES[name] for name in order))


def test_tensors_and_variables_are_logged(root):
    import tensorflow as tf

    with taffrail.init(name="n") as run:
        run.log({"number": tf.constant(1.5), "variable": tf.Variable(2.5), "half": tf.constant(0.5, tf.bfloat16), "one": tf.constant([4.0])}, step=1)
        run.log({"picture": taffrail.Image(tf.zeros((4, 5, 3), tf.uint8)), "spread": taffrail.Histogram(tf.range(10.0))}, step=2)
        run.log_tensor("tensor", tf.reshape(tf.range(6), (2, 3)), 3)
    past = taffrail.read(root).run("n")
    assert [past[key].value.tolist() for key in ("number", "variable", "half", "one")] == [[1.5], [2.5], [0.5], [4.0]]
    kinds = {info.key: info.kind for info in past.keys()}
    assert (kinds["picture"], kinds["spread"], kinds["tensor"]) == ("image", "histogram", "tensor")
