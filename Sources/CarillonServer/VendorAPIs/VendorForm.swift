import Hummingbird

/// A vendor in whose form errors are answered.
enum VendorForm {
    case toast, corePush, coimotion

    /// The vendor of a path; `nil` for a path of Carillon's own.
    init?(path: String) {
        if path.hasPrefix(ToastPath.root) {
            self = .toast
        } else if CorePushPath.isOne(path) {
            self = .corePush
        } else if CoimotionPath.isOne(path) {
            self = .coimotion
        } else {
            return nil
        }
    }

    /// The answer to an error.
    func response(to error: any Error, path: String) -> Response {
        switch self {
        case .toast: ToastFailure.response(to: error, path: path)
        case .corePush: CorePushAnswer.failure(error)
        case .coimotion: CoimotionAnswer.failure(error)
        }
    }

    /// The answer to a path or method that there is not.
    func noRoute(_ path: String) -> Response {
        switch self {
        case .toast: ToastFailure.noRoute(path)
        case .corePush: CorePushAnswer.noRoute()
        case .coimotion: CoimotionAnswer.failure(CoimotionPath.noRoute(path))
        }
    }
}
