import Coim
import FacadeSupport
import Foundation

/// An app of COIMOTION's that calls a server by the network.
@MainActor
final class CoimCaller: NSObject, coimDelegate {
    private var continuation: CheckedContinuation<NSError?, Never>?

    private init(_ continuation: CheckedContinuation<NSError?, Never>) { self.continuation = continuation }

    /// Asks for a guest's profile.
    ///
    /// - Returns: Why there was no answer; `nil` when there was one.
    static func profile(_ server: String) async -> NSError? {
        let info = ["coim_app_code": "demoApp", "coim_app_key": "key", "CarillonServerURL": server]
        let dependencies = FacadeDependencies(isExtension: false, memory: NoStorage(), info: { info[$0] })
        return await FacadeDependencies.$current.withValue(dependencies) {
            await withCheckedContinuation { continuation in
                coimSDK.initSDK(nil)
                coimSDK.send(to: "core/user/profile", withParameter: nil, delegate: CoimCaller(continuation))
            }
        }
    }

    func coimConnection(_ connection: CoimConnection, didFailWithError error: any Error) { end(error as NSError) }

    func coimConnectionDidFinishLoading(_ connection: CoimConnection, withData responseData: [AnyHashable: Any]) {
        end(nil)
    }

    private func end(_ error: NSError?) {
        continuation?.resume(returning: error)
        continuation = nil
    }
}

private struct NoStorage: FacadeStorage {
    func data(_ name: String) -> Data? { nil }

    func keep(_ data: Data?, _ name: String) {}
}
