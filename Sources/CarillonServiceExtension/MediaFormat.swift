package import CarillonModel
import Foundation

/// The formats that iOS shows with a notification, detected by their first bytes: a server's content type is often wrong,
/// and the system uses the file extension.
package enum MediaFormat: String, CaseIterable, Sendable {
    case jpeg = "jpg"
    case png
    case gif
    case mpeg = "mpg"
    case mpeg4 = "mp4"
    case avi
    case wave = "wav"
    case mp3
    case mpeg4Audio = "m4a"

    /// The number of bytes that identify a format.
    package static let prefixLength = 16

    /// Detects the format of a file; `nil` for one that iOS does not show.
    ///
    /// - Parameter start: At least ``prefixLength`` bytes, unless the file is shorter.
    package init?(start: some Collection<UInt8>) {
        let bytes = Array(start.prefix(Self.prefixLength))
        guard let found = Self.container(bytes) ?? Self.plain(bytes) else { return nil }
        self = found
    }

    /// The kind of media.
    package var kind: Media.Kind {
        switch self {
        case .jpeg, .png, .gif: .image
        case .mpeg, .mpeg4, .avi: .video
        case .wave, .mp3, .mpeg4Audio: .audio
        }
    }

    private static func plain(_ bytes: [UInt8]) -> MediaFormat? {
        let signatures: [(MediaFormat, [UInt8])] = [
            (.jpeg, [0xFF, 0xD8, 0xFF]), (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            (.gif, Array("GIF8".utf8)), (.mp3, Array("ID3".utf8)),
            // A program stream's pack, or a video stream's sequence (ISO/IEC 11172 and 13818).
            (.mpeg, [0x00, 0x00, 0x01, 0xBA]), (.mpeg, [0x00, 0x00, 0x01, 0xB3]),
        ]
        return signatures.first { bytes.starts(with: $0.1) }?.0 ?? (isMP3Frame(bytes) ? .mp3 : nil)
    }

    /// Containers name their format in their second or third word.
    private static func container(_ bytes: [UInt8]) -> MediaFormat? {
        guard bytes.count >= 12 else { return nil }
        let third = String(decoding: bytes[8..<12], as: UTF8.self)
        if bytes.starts(with: "RIFF".utf8) { return third == "AVI " ? .avi : third == "WAVE" ? .wave : nil }
        guard bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        if ["M4A ", "M4B "].contains(third) { return .mpeg4Audio }
        // QuickTime, still pictures and 3GP have the same container, and are other formats.
        let others = [
            "qt", "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis", "3g", "crx",
        ]
        return others.contains { third.hasPrefix($0) } ? nil : .mpeg4
    }

    /// A frame of layer III: eleven bits of ones, a version, the layer, and neither reserved rate.
    private static func isMP3Frame(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
        let (version, layer) = (bytes[1] >> 3 & 3, bytes[1] >> 1 & 3)
        return version != 1 && layer == 1 && bytes[2] >> 4 != 15 && bytes[2] >> 4 != 0 && bytes[2] >> 2 & 3 != 3
    }
}

extension Media.Kind {
    /// Apple's maximum of bytes of an attachment.
    package var maximumSize: Int {
        switch self {
        case .image: 10 << 20
        case .video: 50 << 20
        case .audio: 5 << 20
        }
    }
}
