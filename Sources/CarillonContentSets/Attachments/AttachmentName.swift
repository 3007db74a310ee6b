/// The name of a file, as it is stored.
enum AttachmentName {
    /// A file's name without folders and control characters, which a header can have.
    static func plain(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        var kept = ""
        for scalar in last.unicodeScalars {
            // Also marks that change the direction of texts, which hide what a name ends with.
            let isPlain: Bool =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
                default: true
                }
            guard isPlain else { continue }
            guard kept.utf8.count + scalar.utf8.count <= ContentAttachmentLimits.nameSize else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept.allSatisfy { $0 == "." || $0 == " " } ? "file" : kept
    }
}
