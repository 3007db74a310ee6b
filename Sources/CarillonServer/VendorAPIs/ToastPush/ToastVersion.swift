/// A version of TOAST Push's REST API, as paths name it.
enum ToastVersion: String, Comparable, CaseIterable {
    case v20 = "v2.0"
    case v21 = "v2.1"
    case v22 = "v2.2"
    case v23 = "v2.3"
    case v24 = "v2.4"

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The paths of the API.
enum ToastPath {
    /// The first part of every path; nothing else of the server's begins so.
    static let root = "/push/"
    /// The path of all calls.
    static let base = "/push/{version}/appkeys/{appkey}"

    /// The version that a path names; the newest one when it names none that is known.
    static func version(of path: String) -> ToastVersion {
        path.split(separator: "/").dropFirst().first.flatMap { ToastVersion(rawValue: String($0)) } ?? .v24
    }

    /// Whether a path names a version that is answered.
    static func isSupported(_ path: String) -> Bool {
        path.split(separator: "/").dropFirst().first.flatMap { ToastVersion(rawValue: String($0)) } != nil
    }
}
