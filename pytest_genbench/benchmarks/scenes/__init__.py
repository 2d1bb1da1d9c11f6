"""Scenes in space, made by analytic ray-casting: stand-ins for 3D Shapes and MPI3D that need no download."""
