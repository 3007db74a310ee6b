import CZlib
import Testing

@testable import CarillonContentSets

/// Files that are small as they are sent, and endless when they are read.
struct HostileColumnTests {
    /// One column of ten gigabytes: members of gzip, each of 64 MiB, one after another.
    private func column() -> [UInt8] {
        let part = 64 << 20
        var input = [UInt8](repeating: UInt8(ascii: "x"), count: part)
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        deflateInit2_(&stream, Z_BEST_SPEED, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        var output = [UInt8](repeating: 0, count: 1 << 20)
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
        return Array([[UInt8]](repeating: Array(output[..<count]), count: 160).joined())
    }

    @Test("A column of ten gigabytes ends the import at the limit, and is not unpacked further") func endless() {
        let table = ContentTable("t", key: "id", [ContentField("id", .text)])
        let definition = ContentSetDefinition(title: "T", tables: [table])
        let file = column()
        var limits = ContentFile.Limits()
        limits.textSize = 4 << 20
        #expect(file.count < limits.fileSize)
        for format in [ContentFormat.csv, .json] {
            #expect(throws: ContentFileProblem.self) {
                try ContentFile(file, format, for: definition, limits: limits)
            }
        }
    }
}
