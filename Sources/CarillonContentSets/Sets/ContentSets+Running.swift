import CarillonModel
import StoreErrors

/// How imports begin, show that they are alive, and are cut off.
extension ContentSets {
    /// The tables that a file fills.
    ///
    /// - Throws: ``ContentSetError/invalid(_:)`` for a table or format that does not fit the set.
    static func tables(
        _ format: ContentFormat,
        _ definition: ContentSetDefinition,
        _ name: String?
    ) throws(ContentSetError) -> [ContentTable] {
        let names = definition.tables.map(\.name).joined(separator: ", ")
        guard format.fillsOneTable else {
            let tables = definition.tables.filter { format.tables.contains($0.name) }
            guard tables.isEmpty else { return tables }
            let wanted = format.tables.joined(separator: ", ")
            throw .invalid([
                FieldError(
                    field: "format",
                    problem: "must fit the content set: \(format.rawValue) fills \(wanted), and the set has \(names)"
                )
            ])
        }
        guard let name else {
            guard definition.tables.count == 1 else {
                let problem = "is required: the content set has several tables, \(names)"
                throw .invalid([FieldError(field: "table", problem: problem)])
            }
            return definition.tables
        }
        guard let table = definition.table(name) else {
            throw .invalid([FieldError(field: "table", problem: "must be a table of the content set, one of \(names)")])
        }
        return [table]
    }

    /// Saves a run that begins.
    ///
    /// - Throws: ``ContentSetError/conflict(_:)`` that names the import that fills a table at the time.
    func begin(_ run: ContentImportRun, of name: String, app: AppID) async throws(ContentSetError) {
        let at = now()
        guard let other = try await stored(try await store.begin(run, of: name, app: app, at: at)) else { return }
        throw .conflict(
            """
            The import \(other.id) has filled the same table since \(other.startedAt). Wait for its end; the list of imports \
            shows it. One whose server was killed counts as cut off \(ContentImportRun.longestSilence.components.seconds) \
            seconds after its last heartbeat.
            """
        )
    }

    /// Saves heartbeats of a run while the work goes on; the work is cancelled when the run is gone, as its set is.
    ///
    /// - Returns: The work's value, and whether it was cancelled.
    func withHeartbeat<Value: Sendable>(
        of run: ContentImportRun,
        of name: String,
        app: AppID,
        _ work: @Sendable @escaping () async -> Value
    ) async -> (value: Value, isCancelled: Bool) {
        let task = Task {
            let value = await work()
            return (value: value, isCancelled: Task.isCancelled)
        }
        return await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while true {
                        await pause(ContentImportRun.heartbeat)
                        guard !Task.isCancelled else { return }
                        var alive = run
                        alive.heartbeatAt = now()
                        // A store that does not answer may answer the next time.
                        if (try? await store.save(alive, of: name, app: app)) == false { return task.cancel() }
                    }
                }
                let result = await task.value
                group.cancelAll()
                return result
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Ends an import whose task is cancelled.
    static func checkCancellation() throws(ContentSetError) {
        if Task.isCancelled { throw .store(.unavailable(ContentImportRun.cutOff)) }
    }
}
