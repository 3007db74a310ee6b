import CarillonModel
import Foundation
import Testing

@testable import CarillonContentSets

/// What is known of a file that was sent.
struct AttachmentTests {
    @Test(
        "M-88 A file's type is that of its bytes",
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00], "image/png"),
            ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
            (Array("GIF89a..".utf8), "image/gif"), (Array("RIFF....WEBPVP8 ".utf8), "image/webp"),
            (Array("RIFF....WAVEfmt ".utf8), "audio/wav"), (Array("%PDF-1.7".utf8), "application/pdf"),
            ([0, 0, 0, 24] + Array("ftypheic....".utf8), "image/heic"),
            ([0, 0, 0, 24] + Array("ftypM4A ....".utf8), "audio/mp4"),
            ([0, 0, 0, 24] + Array("ftypqt  ....".utf8), "video/quicktime"),
            ([0, 0, 0, 24] + Array("ftypisom....".utf8), "video/mp4"), (Array("ID3\u{3}...".utf8), "audio/mpeg"),
            (Array("<svg xmlns='http://www.w3.org/2000/svg'>".utf8), "application/octet-stream"),
            (Array("<html><script>".utf8), "application/octet-stream"),
            (Array("PK\u{3}\u{4}".utf8), "application/octet-stream"),
            ([0, 0, 0, 24] + Array("ftypxxxx....".utf8), "application/octet-stream"),
            (Array("RIFF....XXXX".utf8), "application/octet-stream"), ([0x89, 0x50], "application/octet-stream"),
            ([0xFF], "application/octet-stream"), ([], "application/octet-stream"),
        ] as [([UInt8], String)]
    )
    func types(_ bytes: [UInt8], _ expected: String) {
        #expect(AttachmentType.of(bytes) == expected)
    }

    @Test(
        "A file's name has no folders, no control characters and no marks that turn it around",
        arguments: [
            ("photo.png", "photo.png"), ("照片.jpg", "照片.jpg"), ("../../etc/passwd", "passwd"), ("C:\\a\\b.txt", "b.txt"),
            ("a\r\nX-Evil: 1", "aX-Evil: 1"), ("a\u{0}b", "ab"), ("gpj.\u{202E}exe", "gpj.exe"), ("", "file"),
            ("..", "file"),
            ("/", "file"), ("  ", "file"), (String(repeating: "é", count: 200), String(repeating: "é", count: 127)),
        ]
    )
    func names(_ name: String, _ expected: String) {
        #expect(AttachmentName.plain(name) == expected)
    }

    @Test("Whether a table takes attachments is in its definition, and is false where nothing is said")
    func setting() throws {
        let table = #"{"name":"t","key":"id","fields":[{"name":"id","type":"text"}]}"#
        #expect(try !JSONDecoder().decode(ContentTable.self, from: Data(table.utf8)).takesAttachments)
        let taking = table.replacing(#""key""#, with: #""takesAttachments":true,"key""#)
        let read = try JSONDecoder().decode(ContentTable.self, from: Data(taking.utf8))
        #expect(read.takesAttachments)
        #expect(try JSONDecoder().decode(ContentTable.self, from: JSONEncoder().encode(read)) == read)
        #expect(ContentSetDefinition.preset("culture")?.tables.contains(where: \.takesAttachments) == false)
    }
}
