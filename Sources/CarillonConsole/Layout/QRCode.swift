import CQRCode

/// A QR code as the path of an SVG.
struct QRCode: Hashable, Sendable {
    /// The number of modules of a side, with the four that must be white around them.
    let size: Int
    /// The dark modules, as commands of an SVG path.
    let path: String

    /// Encodes a text; `nil` when it is too long.
    init?(_ text: String) {
        // Version 0: as small as the text allows. M restores 15 %.
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        let margin = 4
        var path = ""
        for row in 0..<width {
            for column in 0..<width where code.pointee.data[row * width + column] & 1 == 1 {
                path += "M\(column + margin) \(row + margin)h1v1h-1z"
            }
        }
        size = width + 2 * margin
        self.path = path
    }
}
