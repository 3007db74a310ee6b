/// The apps that an export names, of which one is imported.
struct NamedApps {
    /// More are not held: a message names ten.
    private static let maximumCount = 50

    private var names: Set<String> = []

    /// Notes a row's app.
    ///
    /// - Returns: Whether the options name another one.
    mutating func insert(_ name: String?, _ options: SourceOptions) -> Bool {
        guard let name else { return false }
        if names.count < Self.maximumCount { names.insert(name) }
        return options.appName.map { $0 != name } ?? false
    }

    /// The problem of an export with several apps; `nil` when the options name one.
    func problem(_ options: SourceOptions) -> SourceProblem? {
        guard options.appName == nil, names.count > 1 else { return nil }
        let listed = names.sorted().prefix(10).joined(separator: ", ")
        return SourceProblem("has the devices of several apps: \(listed). Name one with --app-name")
    }
}
