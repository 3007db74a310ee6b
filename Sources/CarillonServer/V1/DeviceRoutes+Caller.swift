import CarillonEngine
import CarillonModel
import Hummingbird

extension ServerContext {
    /// The Device that the path names.
    ///
    /// - Throws: 404 when it is none.
    func device() throws -> DeviceID {
        guard let id = DeviceID(parameter("device")) else { throw EngineError.notFound(.device) }
        return id
    }
}

extension Credentials {
    /// The Device that calls, by App key and Device secret; the secret is looked at where the Device is.
    ///
    /// - Throws: 401 when a credential is missing or no App has the key, 404 when the path names no Device, 429 when it
    ///   sends too many requests or its address too many wrong secrets.
    func device(_ request: Request, _ context: ServerContext) async throws -> DeviceCaller {
        let app = try await app(request, challenge: Challenge.device)
        let caller = DeviceCaller(app: app, device: try context.device(), secret: try deviceSecret(request))
        try limiter.checkUnknownSecret(caller, network: address.network(of: request, context))
        try limiter.count(caller)
        return caller
    }
}
