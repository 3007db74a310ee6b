import CarillonEngine
import CarillonModel
import CarillonStore
import Logging

/// Whether the audit log of a store is as it was written.
enum AuditChainState: Hashable, Sendable {
    /// All entries follow each other.
    case whole(count: Int)
    /// An entry was changed, added or removed.
    case broken(String)

    /// Verifies the whole chain, and changes nothing.
    ///
    /// - Parameter stores: The stores, which may refuse to write.
    /// - Throws: ``StoreError`` when entries cannot be read.
    init(of stores: Stores) async throws(StoreError) {
        let log = AuditLog(store: stores.audit, clock: SystemWallClock(), logger: Logger(label: "carillon"))
        do {
            self = .whole(count: try await log.verify().count)
        } catch let fault as AuditFault {
            self = .broken(fault.description)
        } catch let error as EngineError {
            if case .store(let failure) = error { throw failure }
            throw .failed("\(error)")
        } catch {
            throw .failed("\(error)")
        }
    }

    /// What was found.
    var text: String {
        switch self {
        case .whole(0): "The audit log is empty."
        case .whole(let count): "\(count) \(count == 1 ? "entry is as it was" : "entries are as they were") written."
        case .broken(let fault): fault
        }
    }

    /// What to do when it was changed.
    static let advice =
        "Somebody wrote to the store beside Carillon. Compare with a backup and the noted entry of carillon audit verify."
}

extension ServerFinding {
    /// Reports whether the audit log is as it was written.
    static func auditLog(_ state: AuditChainState) -> ServerFinding {
        if case .broken = state { return .problem(.auditLog, state.text, AuditChainState.advice) }
        return .ok(.auditLog, state.text)
    }
}
