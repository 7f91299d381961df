# Shared by deploy/demo and deploy/test: what a fresh machine lacks, installed and started, and stopped again by whom it
# was started. Sourced, never run.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=${NINEFOLD_VENV:-$ROOT/.venv}
LOGS=${NINEFOLD_LOGS:-$(mktemp -d "${TMPDIR:-/tmp}/ninefold-deploy.XXXXXX")}
STARTED_ENGINE=""
BEGAN=$SECONDS

say() { printf '%s\n' "$*" >&2; }
fail() { say "ninefold: $*"; exit 1; }
step() { say "[$((SECONDS - BEGAN)) s] $*"; }

# quietly NAME COMMAND…: its output goes to a log that is shown only when it fails. The command is kept from Ctrl-C: a
# package installation that is broken off half way is worse than one that ends a few seconds later.
INTERRUPTED=""
quietly() {
  local name=$1 pid code=0; shift
  setsid "$@" >"$LOGS/$name.log" 2>&1 &
  pid=$!
  trap 'INTERRUPTED=1; say "ninefold: finishing $name first, then stopping"' INT TERM
  while kill -0 "$pid" 2>/dev/null; do wait "$pid" 2>/dev/null || true; done
  wait "$pid" || code=$?
  trap - INT TERM
  [ -z "$INTERRUPTED" ] || exit 130
  if [ "$code" != 0 ]; then
    tail -n 25 "$LOGS/$name.log" >&2
    say "ninefold: $name failed; its whole output is in $LOGS/$name.log"
  fi
  return "$code"
}

SUDO=()
if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then SUDO=(sudo -n); fi
as_root() { "${SUDO[@]}" "$@"; }

# install_packages NAME…: those that are missing come from Debian or Ubuntu, each named in the output.
install_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || { say "this is no Debian or Ubuntu; install by hand: ${missing[*]}"; return 1; }
  step "installing from the distribution: ${missing[*]}"
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}")
  quietly apt-update "${SUDO[@]}" apt-get update -qq || { say "cannot refresh the package lists (root or sudo is needed)"; return 1; }
  quietly apt-install "${SUDO[@]}" "${install[@]}" || { say "cannot install ${missing[*]} (root or sudo is needed)"; return 1; }
}

# stamp_of REQUIREMENTS: names what an environment made from it holds.
stamp_of() {
  printf '%s-%s\n' "$(cat "$1" "$ROOT/pyproject.toml" | sha256sum | cut -c 1-16)" \
    "$("${PYTHON:-python3}" -c 'import sys; print(*sys.version_info[:3], sep="")')"
}

# make_environment REQUIREMENTS: a virtual environment with exactly these, hashes checked, and Ninefold itself.
make_environment() {
  local requirements=$1 python=${PYTHON:-python3} stamp
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
    || fail "Python 3.11 or newer is needed; $python is $("$python" --version 2>&1 || echo missing)"
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    install_packages python3-venv || fail "$python has no venv module; install python3-venv"
  fi
  stamp=$(stamp_of "$requirements")
  if ! grep -qx -- "$stamp" "$VENV/ninefold.stamp" 2>/dev/null; then
    step "making the virtual environment $VENV from $(grep -c == "$requirements") pinned packages"
    "$python" -m venv --clear "$VENV" || fail "cannot make $VENV"
    quietly pip-install "$VENV/bin/pip" install --disable-pip-version-check --require-hashes -r "$requirements" \
      || fail "the packages of $requirements could not be installed"
    quietly pip-self "$VENV/bin/pip" install --disable-pip-version-check --no-deps --no-build-isolation -e "$ROOT" \
      || fail "Ninefold itself could not be installed"
    # what the tests need includes what a league needs
    { echo "$stamp"; stamp_of "$ROOT/deploy/requirements.txt"; } >"$VENV/ninefold.stamp"
  fi
  export PATH="$VENV/bin:$PATH"
}

engine_answers() { DOCKER_CLI_HINTS=false timeout 20 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# forget_dead PIDFILE NAME: a pid file whose process is gone, or is something else by now, keeps nobody from starting.
forget_dead() {
  local pid
  pid=$(as_root cat "$1" 2>/dev/null) || return 0
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ] || as_root rm -f "$1"
}

# ensure_engine: a Docker engine answers; 1 with the reason in ENGINE_PROBLEM when none can be had.
ensure_engine() {
  ENGINE_PROBLEM=""
  if ! command -v mmdebstrap >/dev/null; then  # the base image is made from Debian's packages
    install_packages mmdebstrap debian-archive-keyring \
      || { ENGINE_PROBLEM="mmdebstrap, which makes the base image, is missing and could not be installed"; return 1; }
  fi
  if command -v docker >/dev/null && engine_answers; then return 0; fi
  if [ -n "${DOCKER_HOST:-}" ]; then
    ENGINE_PROBLEM="no Docker engine answers at DOCKER_HOST=$DOCKER_HOST"
    return 1
  fi
  if ! command -v dockerd >/dev/null; then
    install_packages docker.io || { ENGINE_PROBLEM="no Docker engine is installed and docker.io could not be installed"; return 1; }
  fi
  if engine_answers; then return 0; fi
  step "starting a Docker engine (stopped again at the end; images are kept)"
  forget_dead /var/run/docker.pid dockerd
  forget_dead /var/run/docker/containerd/containerd.pid containerd
  as_root sh -c 'mkdir -p /var/run; setsid dockerd >"$0" 2>&1 & echo $! >"$1"' "$LOGS/dockerd.log" "$LOGS/dockerd.pid" \
    || { ENGINE_PROBLEM="a Docker engine is installed but does not run, and starting it needs root or sudo"; return 1; }
  STARTED_ENGINE=$(cat "$LOGS/dockerd.pid")
  local tries=0
  until engine_answers; do
    tries=$((tries + 1))
    if [ $tries -gt 60 ] || ! as_root kill -0 "$STARTED_ENGINE" 2>/dev/null; then
      ENGINE_PROBLEM="the Docker engine did not start: $(grep -v level=info "$LOGS/dockerd.log" | tail -n 1 | cut -c 1-300)"
      stop_engine
      return 1
    fi
    sleep 0.5
  done
}

stop_engine() {
  [ -n "$STARTED_ENGINE" ] || return 0
  as_root kill "$STARTED_ENGINE" 2>/dev/null || true
  local tries=0
  while as_root kill -0 "$STARTED_ENGINE" 2>/dev/null && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
  STARTED_ENGINE=""
}
