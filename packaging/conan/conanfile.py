"""Packages what `cmake --install` installs of the tree that this file is in,
without the converter.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

TREE = os.path.join("..", "..")


class LatimerRecipe(ConanFile):
    name = "latimer"
    description = "Translation models on small machines"
    license = "Apache-2.0"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def set_version(self):
        header = load(self, os.path.join(
            self.recipe_folder, TREE, "runtime/include/latimer/version.h"))
        self.version = re.search(r'LATIMER_VERSION "([0-9.]+)"', header)[1]

    def export_sources(self):
        for pattern in ("CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json",
                        "LICENSE", "api/*", "bindings/*", "cmake/*",
                        "programs/*", "runtime/*",
                        "schema/*", "targets/*"):
            copy(self, pattern, os.path.join(self.recipe_folder, TREE),
                 self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(
                f"This recipe is for Linux, not for {self.settings.os}: "
                "docs/packages.md has other ways.")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "LATIMER_CONVERTER": False,
            "LATIMER_JAVA": False,
            "LATIMER_PYTHON": False,
            "LATIMER_SHARED": True,
            "LATIMER_TESTS": False,
        })
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="installable")

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["latimer"]
        # find_package() reads the package's own files, which have
        # latimer::latimer_static and latimer_add_runtime(), too.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "latimer")]
