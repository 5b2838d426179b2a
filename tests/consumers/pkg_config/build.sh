#!/bin/sh
# build.sh COMPILER PREFIX FOLDER: compiles the programs into FOLDER with what
# pkg-config says of the installation in PREFIX.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
PKG_CONFIG_PATH=$(dirname "$(find "$2" -name latimer.pc)")
export PKG_CONFIG_PATH
libs=$(pkg-config --libs latimer)
folder=$(pkg-config --variable=libdir latimer)
for program in translate.cc translate.c version.c; do
  path=$root/examples/$program
  case $program in
    translate.cc) name=cpp ;;
    translate.c) name=c ;;
    version.c) name=version path=$root/tests/consumers/$program ;;
  esac
  standard=-std=c++20
  case $program in *.c) standard="-x c -std=c11" ;; esac
  # shellcheck disable=SC2046,SC2086
  "$1" $standard $(pkg-config --cflags latimer) "$path" -x none $libs \
    "-Wl,-rpath,$folder" -o "$3/$name"
done
