import CarillonEngine
import CarillonModel
import CarillonStore
import Logging

extension Stores {
    /// Records in the audit log what a command did to the store itself.
    ///
    /// - Parameters:
    ///   - action: The command.
    ///   - app: The App; `nil` for the server.
    ///   - object: The object's id.
    ///   - change: What changed, before → after.
    func record(_ action: String, app: AppID? = nil, object: String? = nil, change: String? = nil) async {
        let clock = SystemWallClock()
        let log = AuditLog(store: audit, clock: clock, logger: Logger(label: "carillon"))
        await log.append(
            AuditRecord(
                actor: AuditRecord.command,
                action: action,
                app: app,
                object: object,
                at: clock.now(),
                change: change
            )
        )
    }
}
