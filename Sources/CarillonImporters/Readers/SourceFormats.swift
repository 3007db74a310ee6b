/// The services whose files are read.
package enum SourceFormats {
    /// All of them, in the order of their names.
    package static let all: [any SourceFormat.Type] = [
        AirshipFormat.self, BrazeFormat.self, CorePushFormat.self, CountlyFormat.self, OneSignalFormat.self,
        ParseFormat.self, PinpointFormat.self, ToastFormat.self, TokensFormat.self,
    ]

    /// The service whose file has these columns or members, other than the one that was named.
    package static func recognized(_ names: some Collection<String>, but name: String) -> (any SourceFormat.Type)? {
        let names = lowered(names)
        return all.first { $0.name != name && isSigned($0, names) }
    }

    /// The problem of an object with these members that is not the named service's, but another one's.
    static func objection(_ names: some Collection<String>, to format: any SourceFormat.Type) -> SourceProblem? {
        guard !isSigned(format, lowered(names)), let other = recognized(names, but: format.name) else { return nil }
        return SourceProblem("is not of \(format.title); it looks like \(other.title)'s: carillon import \(other.name)")
    }

    private static func lowered(_ names: some Collection<String>) -> Set<String> {
        Set(names.map { $0.trimmingSpaces.lowercased() })
    }

    private static func isSigned(_ format: any SourceFormat.Type, _ names: Set<String>) -> Bool {
        format.signatures.contains { $0.allSatisfy { names.contains($0.lowercased()) } }
    }
}
