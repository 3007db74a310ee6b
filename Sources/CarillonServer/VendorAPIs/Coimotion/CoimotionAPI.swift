import CarillonContentJobs
import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird

/// COIMOTION's API of 2014, so that apps that were built for it keep their calls.
///
/// It translates names, checks the vendor's limits and calls the methods that V1 calls. `docs/migrate-from-coimotion.md`
/// has what differs, call by call.
struct CoimotionAPI: Sendable {
    let engine: Engine
    let content: ContentServices

    func declare(_ routes: inout Routes) {
        routes.on(.get, CoimotionPath.description, .none("the description")) { _ in
            try APIDescription.coimotion.response()
        }
        let access = CoimotionAccess(vendorAPIs: engine.vendorAPIs)
        CoimotionAccountRoutes(accounts: engine.accounts, access: access).declare(&routes)
        let reading = CoimotionContent(sets: content.sets, accounts: engine.accounts)
        CoimotionShowRoutes(content: reading, access: access).declare(&routes)
        CoimotionBusRoutes(content: reading, arrivals: content.arrivals, access: access).declare(&routes)
        CoimotionAttachmentRoutes(
            content: reading,
            attachments: content.attachments,
            accounts: engine.accounts,
            access: access
        ).declare(&routes)
    }
}

extension Routes {
    /// Declares an operation that only reads, by both methods.
    ///
    /// A HEAD would lose a renewed token.
    mutating func onBoth(
        _ path: String,
        _ access: CoimotionAccess,
        _ handler: @escaping @Sendable (CoimotionCall) async throws -> Response
    ) {
        on(.get, CoimotionPath.root + path, access.reading, answersHead: false, handler)
        on(.post, CoimotionPath.root + path, access.reading, recorded: .wrongKeys, handler)
    }
}
