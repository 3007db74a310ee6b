import Foundation

/// Ids in the addresses of pages: any text is an id.
enum Address {
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )

    /// An id as a part of an address: without slashes, and whatever else has a meaning there.
    static func escaped(_ id: String) -> String { id.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }

    /// The page of an event.
    static func event(_ id: String) -> String { "/events/" + escaped(id) }
}
