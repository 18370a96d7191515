"""Meshes and clouds of Open3D, as they are: into a run, and through the mesh routine of a Logger."""

import struct

import open3d
import pytest
import taffrail


@pytest.fixture
def shapes():
    box = open3d.geometry.TriangleMesh.create_box(width=1, height=2, depth=3)
    painted = open3d.geometry.TriangleMesh.create_sphere(radius=1, resolution=5)
    painted.paint_uniform_color([1, 0.5, 0])
    cloud = open3d.geometry.PointCloud()
    cloud.points = open3d.utility.Vector3dVector([[0, 0, 0], [1, 2, 3], [4, 5, 6]])
    coloured = open3d.geometry.PointCloud(cloud)
    coloured.colors = open3d.utility.Vector3dVector([[0, 0, 0], [1, 1, 1], [0, 1, 0]])
    return box, painted, cloud, coloured


def one(root, key):
    (entry,) = taffrail.read(root).run("n").entries(key)
    return entry.value


def test_objects_of_open3d(root, shapes):
    box, painted, cloud, coloured = shapes
    with taffrail.init(name="n") as run:
        run.log_mesh("box", box)
        run.log({"painted": taffrail.Mesh(painted), "cloud": taffrail.PointCloud(cloud), "coloured": taffrail.PointCloud(coloured)})
        assert run.stats["errors"] == 0
    assert (one(root, "box")["vertices"], one(root, "box")["faces"], one(root, "box")["has_colors"]) == (8, 12, False)
    assert one(root, "painted")["vertices"] == len(painted.vertices) and one(root, "painted")["has_colors"]
    assert (one(root, "cloud")["vertices"], one(root, "cloud")["faces"], one(root, "cloud")["has_colors"]) == (3, 0, False) and one(root, "coloured")["has_colors"]
    data = one(root, "cloud")["data"].load()
    assert struct.unpack("<9f", data[:36]) == (0, 0, 0, 1, 2, 3, 4, 5, 6)
    assert bytes([255, 128, 0]) in one(root, "painted")["data"].load() and bytes([0, 0, 0, 255, 255, 255, 0, 255, 0]) in one(root, "coloured")["data"].load()


def test_the_mesh_routine_takes_objects_of_open3d(root, shapes):
    box, _, cloud, _ = shapes
    with taffrail.init(name="n") as run:
        logger = taffrail.Logger(run, routines=["mesh"], tracked_variables={"mesh": ["box", "cloud"]}, print_epochs=False)
        logger.log_iter({"box": box, "cloud": cloud})
        logger.check()
    values = {info.key.split("/")[1]: taffrail.read(root).run("n").entries(info.key)[0].value for info in taffrail.read(root).run("n").keys() if info.kind == "mesh"}
    assert values["box"]["faces"] == 12 and values["cloud"]["faces"] == 0 and values["cloud"]["vertices"] == 3
