import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Logging

/// `carillon audit verify`: verifies the whole chain.
struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify that no entry was changed, added or removed.",
        discussion: """
            Asks the server with a key of the server of scope admin, or reads the store itself with --data or \
            --database; a server on a file must be stopped meanwhile.
            The last line it prints names the latest entry. Keep it elsewhere and give it to the next run with --noted: \
            whoever can write to the store can write the whole log anew, and only this shows it.

            The exit code is 0 when the log is as it was written, and 1 when it is not.
            """
    )

    @OptionGroup var options: OperatorOptions
    @OptionGroup var store: StoreOptions

    @Option(help: "The latest entry of an earlier run, aud_…:HASH.")
    var noted: String?

    func validate() throws {
        _ = try notedEntry()
        guard !store.isGiven || options.server == nil else {
            throw ValidationError("Give --server, or the store by --data or --database, not both.")
        }
        guard options.app == nil else { throw ValidationError("The chain is of all Apps: --app does not belong here.") }
    }

    func run() async throws {
        let chain: AuditChain
        do {
            chain = try await verify()
        } catch let fault as AuditFault {
            throw CommandFailure(description: "The audit log is not as it was written. \(fault)")
        }
        if options.json { return try OperatorOutput.print(AuditReport(chain)) }
        guard let latest = chain.latest, let earliest = chain.earliest else { return print("The audit log is empty.") }
        print("\(chain.count) entries from \(earliest.at) to \(latest.at) are as they were written.")
        print("Latest entry: \(latest.id):\(latest.hash)")
    }

    /// Verifies the chain, of a store or over the API.
    func verify() async throws -> AuditChain {
        let noted = try notedEntry()
        guard store.isGiven else { return try await options.run { api in try await verify(api, noted) } }
        return try await store.withStores { stores, _ in
            let log = AuditLog(store: stores.audit, clock: SystemWallClock(), logger: Logger(label: "carillon"))
            return try await log.verify(noted: noted)
        }
    }

    // MARK: - Private

    private func verify(
        _ api: OperatorAPI,
        _ noted: (id: AuditEntryID, hash: String)?
    ) async throws -> AuditChain {
        // The same verification as for a store, with pages read over the API.
        let log = AuditLog(store: RemoteAudit(api: api), clock: SystemWallClock(), logger: Logger(label: "carillon"))
        return try await log.verify(noted: noted)
    }

    private func notedEntry() throws -> (id: AuditEntryID, hash: String)? {
        guard let noted else { return nil }
        let parts = noted.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = AuditEntryID(String(parts[0])), parts[1].count == 64 else {
            throw ValidationError("--noted is an entry's id, a colon and its hash of 64 digits.")
        }
        return (id, parts[1].lowercased())
    }
}

/// The audit log of a server, read over its API.
private struct RemoteAudit: AuditStore {
    let api: OperatorAPI

    func append(_ records: [AuditRecord]) async throws(StoreError) {
        throw .failed("The audit log of a server is written by the server alone.")
    }

    func entries(_ query: AuditQuery, limit: Int) async throws(StoreError) -> [AuditEntry] {
        do {
            // The verification requests one entry more than a page, to learn whether there is another.
            var query = query
            var entries: [AuditEntry] = []
            while entries.count < limit {
                let page: Page<AuditEntry> = try await api.get(
                    "/v1/audit",
                    [
                        "cursor": query.before.rawValue == .max ? nil : query.before.description,
                        "whole": "true", "limit": String(min(200, limit - entries.count)),
                    ]
                )
                entries += page.items.filter { $0.id >= query.first }
                guard page.nextCursor != nil, let last = page.items.last, last.id > query.first else { break }
                query.before = last.id
            }
            return entries
        } catch {
            throw .failed("\(error)")
        }
    }

    func app(ofObject object: String) async throws(StoreError) -> AppID? { nil }

    func pseudonymKey() async throws(StoreError) -> [UInt8]? { nil }

    func pseudonymKey(orInsert new: [UInt8]) async throws(StoreError) -> [UInt8] {
        throw .failed("The audit log of a server is written by the server alone.")
    }
}

/// The result as JSON.
private struct AuditReport: Encodable {
    var count: Int
    var latest: AuditEntry?
    var earliest: AuditEntry?

    init(_ chain: AuditChain) {
        count = chain.count
        latest = chain.latest
        earliest = chain.earliest
    }
}
