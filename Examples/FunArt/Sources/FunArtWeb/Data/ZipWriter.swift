/// Writes a zip archive whose files are stored and not packed, which every reader knows.
struct ZipWriter {
    private var bytes: [UInt8] = []
    private var directory: [UInt8] = []
    private var count = 0

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - text: What is in it.
    mutating func add(_ name: String, _ text: String) {
        let (name, content) = (Array(name.utf8), Array(text.utf8))
        let offset = bytes.count
        var header: [UInt8] = []
        // Version 2.0, UTF-8 names, stored, 1980-01-01 00:00.
        for number in [20, 0x0800, 0, 0, 0x0021] { header.append(little: number, bytes: 2) }
        header.append(little: Int(Self.checksum(content)), bytes: 4)
        header.append(little: content.count, bytes: 4)
        header.append(little: content.count, bytes: 4)
        header.append(little: name.count, bytes: 2)
        header.append(little: 0, bytes: 2)
        bytes.append(little: 0x0403_4B50, bytes: 4)
        bytes += header + name + content
        directory.append(little: 0x0201_4B50, bytes: 4)
        directory.append(little: 20, bytes: 2)
        directory += header
        // No comment, first disk, no attributes.
        directory += [UInt8](repeating: 0, count: 10)
        directory.append(little: offset, bytes: 4)
        directory += name
        count += 1
    }

    /// The archive.
    func finished() -> [UInt8] {
        var end: [UInt8] = []
        end.append(little: 0x0605_4B50, bytes: 4)
        end.append(little: 0, bytes: 4)
        end.append(little: count, bytes: 2)
        end.append(little: count, bytes: 2)
        end.append(little: directory.count, bytes: 4)
        end.append(little: bytes.count, bytes: 4)
        end.append(little: 0, bytes: 2)
        return bytes + directory + end
    }

    private static let table = (UInt32(0)..<256).map { number in
        (0..<8).reduce(number) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let table = table
        return ~bytes.reduce(~UInt32(0)) { sum, byte in table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(little number: Int, bytes: Int) {
        for index in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
