/// The services whose files are read.
package enum SourceFormats {
    /// All of them, in the order of their names.
    package static let all: [any SourceFormat.Type] = [
        AirshipFormat.self, BrazeFormat.self, CorePushFormat.self, CountlyFormat.self, OneSignalFormat.self,
        ParseFormat.self, PinpointFormat.self, ToastFormat.self, TokensFormat.self,
    ]

    /// The service whose file has these columns or members, other than the one that was named.
    package static func recognized(_ names: some Collection<String>, but name: String) -> (any SourceFormat.Type)? {
        let names = Set(names.map { $0.trimmingSpaces.lowercased() })
        return all.first { format in
            format.name != name && !format.signature.isEmpty
                && format.signature.allSatisfy { names.contains($0.lowercased()) }
        }
    }
}
