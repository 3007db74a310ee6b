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
    /// - Throws: 429 when the address has sent too many wrong keys.
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
        return found
    }

    /// Checks that an address may send a secret, before anything is read of what comes with it.
    ///
    /// - Throws: 429 when the address has sent too many wrong keys.
    func checkSecrets(_ request: Request, _ context: ServerContext) throws {
        guard limiter.knowsWrongKeys else { return }
        try limiter.checkUnknownKey(network: address.network(of: request, context))
    }

    /// Authenticates a call by the vendor's secret as well, and names it in the audit log.
    ///
    /// - Returns: False for a wrong secret, which counts as a wrong key of the address.
    /// - Throws: 429 when the address has sent too many wrong keys: a secret may be short, so it must not be guessed; and
    ///   when the App's back end sends too many requests, which are not counted with those of its phones.
    func accepts(
        secret: String,
        of api: StoredVendorAPI,
        _ request: Request,
        _ context: ServerContext
    ) throws -> Bool {
        try checkSecrets(request, context)
        guard api.accepts(secret: secret) else {
            limiter.countUnknownKey(network: address.network(of: request, context))
            return false
        }
        AuditNote.current?.set(api, hasSecret: true)
        try limiter.countBackEnd(of: api.app)
        return true
    }
}

extension CampaignCaller {
    static let toast = CampaignCaller(.vendorAPI(.toast))
    static let corePush = CampaignCaller(.vendorAPI(.corepush))
}
