#!/usr/bin/env bash
# check_buildroot.sh BUILDROOT WORK: the test of packaging/buildroot, by hand.
# BUILDROOT is the folder of Buildroot's source, WORK one for 1 GB of output. It
# checks the package's files with Buildroot's check-package, builds for ARM with
# Debian's cross compiler, and compares ids under QEMU with this machine's.
#
# Needs the preset `demo`, g++-aarch64-linux-gnu, qemu-user, rsync, cpio, bc,
# flake8 and python3-magic. LATIMER_BIN may name another folder of programs than
# build/host/bin. Without a network: BR2_DL_DIR names a folder with the
# downloads, PKGCONF_OVERRIDE_SRCDIR one with the sources of pkgconf.
set -euo pipefail
if [ $# -ne 2 ] || [ ! -x "$1/utils/check-package" ]; then
  echo "usage: $0 BUILDROOT WORK; BUILDROOT is the folder of its source" >&2
  exit 2
fi
buildroot=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
root=$(realpath "$(dirname "$0")/../..")
bin=${LATIMER_BIN:-$root/build/host/bin}
triple=aarch64-linux-gnu

find "$root/packaging/buildroot" -type f -print0 |
  xargs -0 "$buildroot/utils/check-package" -b

# Buildroot refuses a distribution's compiler, whose root is that of the machine
# and holds whatever is installed. This copy has a root of its own, which holds
# the C and C++ libraries and nothing else, and says so.
toolchain=$work/toolchain
sysroot=$toolchain/sysroot
version=$($triple-gcc -dumpversion)
rm -rf "$toolchain"
mkdir -p "$toolchain"/{bin,driver,$triple/bin,lib/gcc-cross/$triple} \
  "$sysroot/usr"
cp -a "/usr/lib/gcc-cross/$triple/$version" "$toolchain/lib/gcc-cross/$triple"
cp -a /usr/$triple/lib "$sysroot"
cp -a /usr/$triple/include "$sysroot/usr"
ln -s ../lib "$sysroot/usr/lib"
mkdir -p "$toolchain/$triple/include"
mv "$sysroot/usr/include/c++" "$toolchain/$triple/include"
sed -i "s,/usr/$triple/lib/,,g" "$sysroot/lib/libc.so"
for tool in /usr/bin/$triple-*; do
  name=${tool##*/}
  case $name in
    *-[0-9]*) ;;
    *-gcc | *-g++ | *-cpp)
      cp -L "$tool" "$toolchain/driver/$name"
      cat > "$toolchain/bin/$name" << END
#!/bin/sh
compiler="$toolchain/driver/$name --sysroot=$sysroot"
if [ "\$*" = -v ]; then
  exec \$compiler -v 2>&1 | sed 's, --with-sysroot=/ , --with-sysroot=$sysroot ,'
fi
exec \$compiler "\$@"
END
      chmod +x "$toolchain/bin/$name"
      ;;
    *)
      ln -s "$tool" "$toolchain/bin/$name"
      ln -s "$tool" "$toolchain/$triple/bin/${name#"$triple-"}"
      ;;
  esac
done

headers=$(awk '/_CODE/ { print int($3 / 65536) "_" int($3 / 256) % 256 }' \
  "$sysroot/usr/include/linux/version.h")
mkdir -p "$work/output"
cat > "$work/output/.config" << END
BR2_aarch64=y
BR2_TOOLCHAIN_EXTERNAL=y
BR2_TOOLCHAIN_EXTERNAL_CUSTOM=y
BR2_TOOLCHAIN_EXTERNAL_PATH="$toolchain"
BR2_TOOLCHAIN_EXTERNAL_CUSTOM_PREFIX="$triple"
BR2_TOOLCHAIN_EXTERNAL_GCC_${version%%.*}=y
BR2_TOOLCHAIN_EXTERNAL_HEADERS_$headers=y
BR2_TOOLCHAIN_EXTERNAL_CUSTOM_GLIBC=y
BR2_TOOLCHAIN_EXTERNAL_CXX=y
BR2_TOOLCHAIN_EXTERNAL_OPENMP=y
# BR2_TOOLCHAIN_EXTERNAL_INET_RPC is not set
BR2_JLEVEL=${JOBS:-1}
BR2_PACKAGE_LATIMER=y
END
make=(make -C "$buildroot" O="$work/output"
  BR2_EXTERNAL="$root/packaging/buildroot")
"${make[@]}" olddefconfig
grep -q ^BR2_PACKAGE_LATIMER=y "$work/output/.config"
# Latimer and what it needs, and no root file system.
"${make[@]}" latimer legal-info-prepare latimer-sources-legal-info \
  latimer-legal-info

# Ids, and scores to the last bit.
target=$work/output/target
lines=$root/examples/sentences.en
emulator=(qemu-aarch64 -cpu cortex-a53 -L "$target")
"$bin/latimer-convert" "$root/examples/en-de" -o "$work/pc.ltm"
"$bin/latimer-convert" "$root/examples/en-de" --board raspberry_pi_4 \
  -o "$work/target.ltm"
"$bin/latimer" translate --json "$work/pc.ltm" "$lines" > "$work/pc.json"
"${emulator[@]}" "$target/usr/bin/latimer" translate --json \
  "$work/target.ltm" "$lines" > "$work/target.json"
cmp "$work/pc.json" "$work/target.json"

# The library and the headers.
"$work/output/host/bin/$triple-g++" -std=c++20 "$root/examples/translate.cc" \
  -o "$work/example" -llatimer
"${emulator[@]}" "$work/example" "$work/target.ltm" "Good morning."
du -b "$target/usr/bin/latimer" "$target"/usr/lib/liblatimer.so.*.*
echo "packaging/buildroot: passed"
