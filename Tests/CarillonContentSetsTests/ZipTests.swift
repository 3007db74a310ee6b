import Testing

@testable import CarillonContentSets

/// Zip archives of others, hostile ones too.
struct ZipTests {
    private func read(_ archive: ZipArchive, _ name: String) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        return try archive.read(name) { bytes.append(contentsOf: $0) } ? bytes : nil
    }

    @Test("Files are read by name, also in one folder around all") func names() throws {
        let archive = try ZipArchive(try zipped(["feed/stops.txt": "a", "feed/deep/x.txt": "b", "y.txt": ""]))
        #expect(try read(archive, "stops.txt") == [0x61])
        #expect(try read(archive, "y.txt") == [])
        #expect(try read(archive, "x.txt") == nil)
        #expect(archive.contains("stops.txt") && !archive.contains("routes.txt"))
    }

    @Test("A bomb is refused by its ratio") func ratio() throws {
        let zeros = [UInt8](repeating: 0, count: 3 << 20)
        let archive = try ZipArchive(try zipped([(name: "a.txt", bytes: zeros)]))
        #expect(throws: ZipArchive.Failure.ratioTooHigh(name: "a.txt", limit: 200)) { try read(archive, "a.txt") }
    }

    @Test("An archive with too much in it is refused") func limits() throws {
        let bytes = try zipped([
            "a.txt": String(repeating: "ab", count: 50), "b.txt": String(repeating: "cd", count: 50),
        ])
        var limits = ZipArchive.Limits()
        limits.entryCount = 1
        #expect(throws: ZipArchive.Failure.tooManyEntries(limit: 1)) { try ZipArchive(bytes, limits: limits) }
        limits = .init()
        limits.entrySize = 99
        #expect(throws: ZipArchive.Failure.entryTooLarge(name: "a.txt", limit: 99)) {
            try read(try ZipArchive(bytes, limits: limits), "a.txt")
        }
        limits = .init()
        limits.totalSize = 150
        let archive = try ZipArchive(bytes, limits: limits)
        #expect(try read(archive, "a.txt")?.count == 100)
        #expect(throws: ZipArchive.Failure.archiveTooLarge(limit: 150)) { try read(archive, "b.txt") }
    }

    @Test("A directory that lies about sizes does not help a bomb") func lyingDirectory() throws {
        var bytes = try zipped([(name: "a.txt", bytes: [UInt8](repeating: 0, count: 3 << 20))])
        // The unpacked size stands at 22 in the local header and at 24 in the directory.
        let directory = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        for place in [22, directory + 24] { bytes.replaceSubrange(place..<place + 4, with: [10, 0, 0, 0]) }
        #expect(throws: (any Error).self) { try read(try ZipArchive(bytes), "a.txt") }
    }

    @Test("A damaged archive never crashes, and a changed byte of a file is found") func damage() throws {
        let bytes = try zipped(["a.txt": "some text that is long enough to be packed, packed, packed"])
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x55
            guard let archive = try? ZipArchive(damaged) else { continue }
            for name in archive.names { _ = try? read(archive, name) }
        }
        for count in bytes.indices { _ = try? ZipArchive(bytes.prefix(count)) }
        var damaged = bytes
        damaged[40] ^= 0x55
        #expect(throws: ZipArchive.Failure.self) { try read(try ZipArchive(damaged), "a.txt") }
    }
}
