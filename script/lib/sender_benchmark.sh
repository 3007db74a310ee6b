# Sourced by the benchmarks of the sender: builds client and server, makes a folder with a key and a certificate.
scratch=${SCRATCH:-Benchmarks/.build}
swift build --package-path Benchmarks --scratch-path "$scratch" -c release --product SenderBenchmark >&2
client=$(swift build --package-path Benchmarks --scratch-path "$scratch" -c release --show-bin-path)/SenderBenchmark

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc -O2 -Wall -Wextra -o "$folder/fakeapns" Benchmarks/fakeapns/fakeapns.c -lnghttp2 -lssl -lcrypto
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
