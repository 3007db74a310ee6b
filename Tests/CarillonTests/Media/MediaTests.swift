import Carillon
import CarillonModel
import CarillonServiceExtension
import Foundation
import PhoneSimulator
import Testing
import UserNotifications

@Suite("Media of notifications")
struct MediaTests {
    /// A file's beginning in each of the formats, filled up to some length.
    private static let starts: [(MediaFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, Array("GIF89a".utf8)), (.mpeg, [0, 0, 1, 0xBA, 0x44]), (.mpeg, [0, 0, 1, 0xB3, 0x14]),
        (.mpeg4, [0, 0, 0, 0x18] + Array("ftypmp42".utf8)), (.mpeg4, [0, 0, 0, 0x20] + Array("ftypisom".utf8)),
        (.avi, Array("RIFF".utf8) + [1, 2, 3, 4] + Array("AVI LIST".utf8)),
        (.wave, Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WAVEfmt ".utf8)), (.mp3, Array("ID3".utf8) + [3, 0]),
        (.mp3, [0xFF, 0xFB, 0x90, 0x64]), (.mp3, [0xFF, 0xF3, 0x40, 0xC4]),
        (.mpeg4Audio, [0, 0, 0, 0x1C] + Array("ftypM4A ".utf8)),
    ]

    private static func file(_ start: [UInt8], _ size: Int = 64) -> Data {
        Data(start + [UInt8](repeating: 0, count: max(0, size - start.count)))
    }

    private func attachment(_ data: Data, _ kind: Media.Kind) async throws -> UNNotificationAttachment? {
        let test = try TestPhone(media: SuppliedMedia(data))
        test.system.permission = .authorized
        let media = ["kind": kind.rawValue, "source": "https://a.example/file.bin"]
        await test.receive(Sample.payload(carillon: ["media": media]))
        let shown = try #require(test.visible?.request.content)
        #expect(shown.body == "World")
        let found = shown.attachments.first
        if let found { #expect(try Data(contentsOf: found.url) == data) }
        #expect(test.folder.files.allSatisfy { !$0.lastPathComponent.hasPrefix("carillon-") })
        return found
    }

    @Test("T-114 each format is told by its content, whatever the address says", arguments: starts.indices)
    func formats(index: Int) async throws {
        let (format, start) = Self.starts[index]
        #expect(MediaFormat(start: Self.file(start)) == format)
        let attachment = try #require(try await attachment(Self.file(start), format.kind))

        #expect(attachment.url.pathExtension == format.rawValue)
    }

    @Test(
        "T-114 whatever else it is, the text is shown",
        arguments: [
            [], Array("<html>".utf8), [0xFF, 0xD8], Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8),
            [0, 0, 0, 0x18] + Array("ftypheic".utf8), [0, 0, 0, 0x14] + Array("ftypqt  ".utf8),
            Array("FORM1234AIFF".utf8),
            [0xFF, 0xF1, 0x50, 0x80], [0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xEB, 0x90, 0x64], Array("OggS".utf8),
        ]
    )
    func others(start: [UInt8]) async throws {
        #expect(MediaFormat(start: Self.file(start)) == nil)
        #expect(try await attachment(Self.file(start, start.isEmpty ? 0 : 64), .image) == nil)
    }

    @Test(
        "T-114 pictures up to 10 MB, films up to 50 and sounds up to 5 are shown; one byte more is text alone",
        arguments: [
            (MediaFormat.png, 10), (.mpeg4, 50), (.mp3, 5),
        ]
    )
    func sizes(format: MediaFormat, megabytes: Int) async throws {
        let start = try #require(Self.starts.first { $0.0 == format }?.1)
        let limit = megabytes << 20
        #expect(format.kind.maximumSize == limit)
        #expect(try await attachment(Self.file(start, limit), format.kind) != nil)
        #expect(try await attachment(Self.file(start, limit + 1), format.kind) == nil)
    }

    @Test("A sound that is declared as a video may only have the size of a sound")
    func limitsMislabelledSounds() async throws {
        let start = try #require(Self.starts.first { $0.0 == .mp3 }?.1)

        #expect(try await attachment(Self.file(start, 6 << 20), .video) == nil)
        #expect(try await attachment(Self.file(start, 4 << 20), .video) != nil)
    }

    @Test("T-115 a file of the app's own is found by its full name; it stays where it is")
    func bundled() async throws {
        let own = try TemporaryFolder()
        let file = own.url.appendingPathComponent("signal ä.wav")
        let start = try #require(Self.starts.first { $0.0 == .wave }?.1)
        try Self.file(start).write(to: file)
        let test = try TestPhone(media: NoMedia()) { $0.bundled = { $0 == "signal ä.wav" ? file : nil } }
        test.system.permission = .authorized
        await test.receive(Sample.payload(carillon: ["media": ["kind": "audio", "source": "signal ä.wav"]]))

        #expect(test.visible?.request.content.attachments.first?.type == "com.microsoft.waveform-audio")
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    @Test("T-115 a remote address may have letters of any language")
    func nonASCII() async throws {
        let media = AskedMedia()
        let test = try TestPhone(media: media)
        test.system.permission = .authorized
        let source = "https://a.example/종/ベル.png?q=%20 x"
        await test.receive(Sample.payload(carillon: ["media": ["kind": "image", "source": source]]))

        #expect(media.urls == ["https://a.example/%EC%A2%85/%E3%83%99%E3%83%AB.png?q=%20%20x"])
        #expect(test.visible?.request.content.attachments.count == 1)
    }

    @Test(
        "A source that is neither a bundled file nor an https URL shows the text alone",
        arguments: [
            "../../etc/passwd", "..", "/etc/passwd", "nobody.png", "file:///etc/passwd", "http://a.example/i.png",
        ]
    )
    func refusesOtherSources(source: String) async throws {
        let test = try TestPhone(media: NoMedia())
        test.system.permission = .authorized
        await test.receive(Sample.payload(carillon: ["media": ["kind": "image", "source": source]]))

        #expect(test.visible?.request.content.body == "World")
        #expect(test.visible?.request.content.attachments.isEmpty == true)
    }

    @Test("T-112 an empty subclass shows media and up to three buttons")
    func emptySubclass() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        let buttons = (1...4).map { ["id": "b\($0)", "title": "B\($0)", "kind": "openApp"] }
        let media = ["kind": "image", "source": "https://a.example/i.png"]
        await test.receive(Sample.payload(carillon: ["media": media, "buttons": buttons]))

        let content = try #require(test.visible?.request.content)
        let category = test.system.categories.first { $0.identifier == content.categoryIdentifier }
        #expect(content.attachments.map(\.type) == ["public.png"])
        #expect(category?.actions.map(\.identifier) == ["b1", "b2", "b3"])
    }
}

/// Media that writes down where it was asked for.
///
/// Unchecked: `lock` protects everything.
final class AskedMedia: MediaSource, @unchecked Sendable {
    private let lock = NSLock()
    private var asked: [String] = []

    var urls: [String] { lock.withLock { asked } }

    func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws {
        lock.withLock { asked.append(url.absoluteString) }
        try SuppliedMedia.pixel.write(to: file)
    }
}
