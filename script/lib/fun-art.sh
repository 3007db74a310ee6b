# What the scripts share that run 瘋藝文: its program beside a built carillon, and what script/lib/example.sh has.
#
#   CARILLON_BUILD   the folder of a build (default: the debug build, which is brought up to date)

if [ -z "${CARILLON_BUILD:-}" ]; then
    echo "Building (some minutes the first time) ..." >&2
    for product in carillon SampledFunArtWeb; do
        swift build --traits Server --product "$product" 2>&1 \
            | { grep -E '^(Build complete|error|.*error:)' >&2 || true; }
    done
    CARILLON_BUILD=$(swift build --traits Server --show-bin-path)
fi
CARILLON=$CARILLON_BUILD/carillon
FUN_ART=$CARILLON_BUILD/SampledFunArtWeb
source script/lib/example.sh
