/// Pictures of events and kinds, drawn from their numbers.
enum Pictures {
    /// A poster.
    ///
    /// - Parameters:
    ///   - kind: The ministry's number of the kind.
    ///   - seed: Anything; the same one is the same picture.
    /// - Returns: An SVG document.
    static func poster(kind: String, seed: String) -> String {
        let hash = seed.utf8.reduce(UInt64(kind.utf8.count + 7)) { $0 &* 131 &+ UInt64($1) }
        var random = SampleRandom(seed: hash)
        let hue = hue(of: kind)
        var shapes = ""
        for _ in 0..<7 {
            let (x, y) = (Int.random(in: 0...400, using: &random), Int.random(in: 0...240, using: &random))
            let size = Int.random(in: 24...110, using: &random)
            let color = "hsl(\((hue + Int.random(in: -40...40, using: &random) + 360) % 360) 70% 62%)"
            shapes +=
                random.chance(50)
                ? "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(size)\" fill=\"\(color)\" fill-opacity=\".45\"/>"
                : "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(size)\" height=\"\(size)\" rx=\"8\" "
                    + "transform=\"rotate(\(x % 90) \(x) \(y))\" fill=\"\(color)\" fill-opacity=\".5\"/>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 240">\
            <rect width="400" height="240" fill="hsl(\(hue) 55% 28%)"/>\(shapes)\
            <g transform="translate(150 70) scale(4.2)" \(stroke("#fff"))>\(glyph(of: kind))</g></svg>
            """
    }

    /// The sign of a kind, in one colour.
    ///
    /// - Parameter kind: The ministry's number of the kind.
    /// - Returns: An SVG document.
    static func icon(kind: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">\
        <g \(stroke("hsl(\(hue(of: kind)) 60% 34%)"))>\(glyph(of: kind))</g></svg>
        """
    }

    private static func stroke(_ color: String) -> String {
        "fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\""
    }

    private static func hue(of kind: String) -> Int { (Int(kind) ?? 0) % 100 * 47 % 360 }

    private static func glyph(of kind: String) -> String {
        switch kind {
        case "1":
            "<path d=\"M9 18V5l11-2v13\"/><circle cx=\"6\" cy=\"18\" r=\"3\"/><circle cx=\"17\" cy=\"16\" r=\"3\"/>"
        case "2": "<path d=\"M4 4c5 2 11 2 16 0v8a8 8 0 0 1-16 0z\"/><path d=\"M8 9h2M14 9h2M8 14c2 2 6 2 8 0\"/>"
        case "3": "<circle cx=\"13\" cy=\"4\" r=\"2\"/><path d=\"M6 8l7 1 5-3M13 9l-2 6-5 6M11 15l6 2 1 5\"/>"
        case "4":
            "<circle cx=\"8\" cy=\"6\" r=\"3\"/><circle cx=\"17\" cy=\"10\" r=\"2\"/>"
                + "<path d=\"M3 21c0-6 2-9 5-9s5 3 5 9M13 21c0-4 2-6 4-6s4 2 4 6\"/>"
        case "6": "<rect x=\"3\" y=\"4\" width=\"18\" height=\"14\"/><path d=\"M3 15l5-5 4 4 3-3 6 5M8 22l4-4 4 4\"/>"
        case "7": "<path d=\"M4 5h16v11H9l-5 4zM8 9h8M8 12h5\"/>"
        case "8": "<rect x=\"3\" y=\"7\" width=\"12\" height=\"11\"/><path d=\"M15 11l6-3v9l-6-3\"/>"
        case "17":
            "<rect x=\"9\" y=\"2\" width=\"6\" height=\"11\" rx=\"3\"/><path d=\"M5 11a7 7 0 0 0 14 0M12 18v4\"/>"
        default:
            "<circle cx=\"6\" cy=\"12\" r=\"1.5\"/><circle cx=\"12\" cy=\"12\" r=\"1.5\"/><circle cx=\"18\" cy=\"12\" r=\"1.5\"/>"
        }
    }
}
