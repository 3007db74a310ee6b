import CZlib

/// Compresses bytes as `gzip` does, for tests.
func gzipped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var input = Array(bytes)
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    var output = [UInt8](repeating: 0, count: input.count + 1_024)
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            deflate(&stream, Z_FINISH)
            return output.count - Int(stream.avail_out)
        }
    }
    deflateEnd(&stream)
    return Array(output[..<count])
}
