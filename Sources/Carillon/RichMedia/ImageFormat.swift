import Foundation

/// The picture formats that iOS shows with a notification, told by their first bytes: a server's word for a file's type
/// is often wrong, and the system goes by the file name's ending.
enum ImageFormat: String, CaseIterable {
    case jpeg = "jpg"
    case png
    case gif

    init?(firstBytes: some Collection<UInt8>) {
        let found = Self.allCases.first { firstBytes.starts(with: $0.signature) }
        guard let found else { return nil }
        self = found
    }

    private var signature: [UInt8] {
        switch self {
        case .jpeg: [0xFF, 0xD8, 0xFF]
        case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        case .gif: Array("GIF8".utf8)
        }
    }
}
