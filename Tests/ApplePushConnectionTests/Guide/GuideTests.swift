import Foundation
import Testing

struct GuideTests {
    private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The parts of a text between lines that open one and lines that close it, without their common indentation.
    private func blocks(_ text: String, opens: (Substring) -> Bool, closes: (Substring) -> Bool) -> [String] {
        var blocks: [[Substring]] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let bare = line.drop { $0 == " " }
            if isInside, closes(bare) {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            } else if opens(bare) {
                isInside = true
                blocks.append([])
            }
        }
        return blocks.map { lines in
            let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
            return lines.map { $0.dropFirst(indentation) }.joined(separator: "\n")
        }
    }

    @Test("The guide to the APNs client shows what is compiled here, all of it and nothing else")
    func guide() throws {
        let guide = try String(
            contentsOf: Self.root.appendingPathComponent("docs/apns-client.md"),
            encoding: .utf8
        )
        let source = try String(
            contentsOf: Self.here.appendingPathComponent("GuideSnippets.swift"),
            encoding: .utf8
        )
        // A package's dependency is no code of its own.
        let shown = blocks(guide, opens: { $0 == "```swift" }, closes: { $0 == "```" }).filter { !$0.hasPrefix(".") }
        let compiled = blocks(source, opens: { $0.hasPrefix("// guide: ") }, closes: { $0 == "// end" })

        #expect(compiled.count == 9 && shown == compiled)
    }

    @Test("The guide to the simulator shows a test that runs here")
    func simulator() throws {
        let guide = try String(
            contentsOf: Self.root.appendingPathComponent("docs/apns-simulator.md"),
            encoding: .utf8
        )
        let source = try String(
            contentsOf: Self.here.appendingPathComponent("SimulatorGuideTests.swift"),
            encoding: .utf8
        )
        let shown = blocks(guide, opens: { $0 == "```swift" }, closes: { $0 == "```" })
        #expect(shown.contains { $0 + "\n" == source })
    }
}
