import CarillonEngine
import CarillonOperatorModel
import Hummingbird

/// Callers of vendor APIs.
extension Credentials {
    /// Authenticates a call by the vendor's key.
    ///
    /// - Parameters:
    ///   - api: The vendor API.
    ///   - key: The key.
    ///   - vendorAPIs: The APIs that are on.
    ///   - request: The request.
    ///   - context: Its context.
    /// - Returns: The App's API; `nil` when no App has the key, which counts as a wrong key of the address.
    /// - Throws: 429 when the App gets too many requests, or the address has sent too many wrong keys.
    func vendorAPI(
        _ api: VendorAPI,
        key: String,
        of vendorAPIs: VendorAPIs,
        _ request: Request,
        _ context: ServerContext
    ) async throws -> StoredVendorAPI? {
        if limiter.knowsWrongKeys, !vendorAPIs.isKnown(api, key: key) {
            try limiter.checkUnknownKey(network: address.network(of: request, context))
        }
        guard let found = try await vendorAPIs.vendorAPI(api, key: key) else {
            limiter.countUnknownKey(network: address.network(of: request, context))
            return nil
        }
        try limiter.count(found.app)
        return found
    }

    /// Authenticates a call by the vendor's secret as well, and names it in the audit log.
    ///
    /// - Returns: False for a wrong secret, which counts as a wrong key of the address.
    /// - Throws: 429 when the address has sent too many wrong keys: a secret may be short, so it must not be guessed.
    func accepts(
        secret: String,
        of api: StoredVendorAPI,
        _ request: Request,
        _ context: ServerContext
    ) throws -> Bool {
        let network = address.network(of: request, context)
        if limiter.knowsWrongKeys { try limiter.checkUnknownKey(network: network) }
        guard api.accepts(secret: secret) else {
            limiter.countUnknownKey(network: network)
            return false
        }
        AuditNote.current?.set(api, hasSecret: true)
        return true
    }
}
