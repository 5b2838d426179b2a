"""Translates with both libraries of the package."""

import io
import os

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class TestLatimer(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # It would be in this tree.
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        model = os.path.normpath(os.path.join(
            self.recipe_folder, "../../../build/host/en-de.ltm"))
        if not os.path.exists(model):
            raise ConanException(f"There is no {model}, with which to test: "
                                 "run cmake --workflow --preset demo first.")
        for program in ("with_shared", "with_static"):
            output = io.StringIO()
            path = os.path.join(self.cpp.build.bindir, program)
            self.run(f'{path} {model} "Good morning."', output,
                     env="conanrun")
            assert output.getvalue() == "Guten Morgen.\n", output.getvalue()
