import Foundation

/// The default data folder of a server.
enum DataFolder {
    /// The configured folder, or the default.
    ///
    /// - Parameters:
    ///   - configured: The setting.
    ///   - environment: Environment variables.
    /// - Returns: The folder; it need not exist.
    static func url(configured: String?, environment: [String: String]) -> URL {
        func folder(_ path: String, _ name: String? = nil) -> URL {
            let url = URL(fileURLWithPath: path, isDirectory: true)
            return name.map { url.appendingPathComponent($0, isDirectory: true) } ?? url
        }
        if let configured { return folder(configured) }
        // systemd joins several folders with colons; the first is ours.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return folder(String(state)) }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return folder(data, "carillon") }
        if let home = environment["HOME"], home.hasPrefix("/"), home != "/" {
            return folder(home, ".local/share/carillon")
        }
        return folder("carillon-data")
    }

    /// Creates the folder for its owner alone, if it is missing.
    static func make(_ folder: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw ServerSettings.Failure(description: "Cannot make the data folder \(folder.path).")
        }
    }
}
