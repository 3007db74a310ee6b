import Foundation

/// An app that does nothing; it links Foundation as every app does.
@main
enum WithoutSDK {
    static func main() async throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments.last ?? "")
        print(FileManager.default.fileExists(atPath: folder.path))
    }
}
