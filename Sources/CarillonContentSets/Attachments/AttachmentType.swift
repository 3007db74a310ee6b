/// The media type of a file by its first bytes: who sends a file may call it anything.
enum AttachmentType {
    static let unknown = "application/octet-stream"

    /// Texts that files begin with.
    private static let texts: [(beginning: String, type: String)] = [
        ("GIF87a", "image/gif"), ("GIF89a", "image/gif"), ("%PDF-", "application/pdf"), ("OggS", "audio/ogg"),
        ("fLaC", "audio/flac"), ("#!AMR", "audio/amr"), ("caff", "audio/x-caf"), ("ID3", "audio/mpeg"),
    ]

    /// Bytes that files begin with.
    private static let bytes: [(beginning: [UInt8], type: String)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        ([0x49, 0x49, 0x2A, 0x00], "image/tiff"), ([0x4D, 0x4D, 0x00, 0x2A], "image/tiff"),
        ([0xFF, 0xF1], "audio/aac"), ([0xFF, 0xF9], "audio/aac"), ([0xFF, 0xFB], "audio/mpeg"),
        ([0xFF, 0xF3], "audio/mpeg"), ([0xFF, 0xF2], "audio/mpeg"), ([0x1A, 0x45, 0xDF, 0xA3], "video/webm"),
    ]

    /// Forms of RIFF files, at byte 8.
    private static let forms = ["WEBP": "image/webp", "WAVE": "audio/wav", "AVI ": "video/x-msvideo"]

    /// Brands of ISO base media files, at byte 8 behind `ftyp`.
    private static let brands: [String: String] = [
        "heic": "image/heic", "heix": "image/heic", "mif1": "image/heif", "avif": "image/avif", "M4A ": "audio/mp4",
        "M4B ": "audio/mp4", "qt  ": "video/quicktime", "M4V ": "video/x-m4v", "3gp4": "video/3gpp",
        "3gp5": "video/3gpp", "3gp6": "video/3gpp", "isom": "video/mp4", "iso2": "video/mp4", "iso4": "video/mp4",
        "iso5": "video/mp4", "iso6": "video/mp4", "mp41": "video/mp4", "mp42": "video/mp4", "avc1": "video/mp4",
        "dash": "video/mp4", "MSNV": "video/mp4",
    ]

    /// Returns the type of an image, a sound, a video or a PDF; ``unknown`` for anything else.
    static func of(_ file: [UInt8]) -> String {
        if file.count >= 12 {
            let name = String(decoding: file[8..<12], as: UTF8.self)
            if file[4..<8].elementsEqual("ftyp".utf8) { return brands[name] ?? unknown }
            if file.starts(with: "RIFF".utf8) { return forms[name] ?? unknown }
        }
        if let found = texts.first(where: { file.starts(with: $0.beginning.utf8) }) { return found.type }
        return bytes.first { file.starts(with: $0.beginning) }?.type ?? unknown
    }
}
