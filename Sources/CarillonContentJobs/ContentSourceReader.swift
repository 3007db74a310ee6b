package import CarillonContentSets
package import CarillonEngine
package import CarillonModel
import StoreErrors

/// Fetches one source and imports what it sent.
package struct ContentSourceReader: Sendable {
    /// What came of it.
    package enum Result: Hashable, Sendable {
        case imported(ContentImportRun, ContentValidators)
        /// Real-time data, as it was sent, and when it was made if it says so.
        case realtime([UInt8], ContentValidators, madeAt: Timestamp?)
        case unchanged
        /// The last good data stays; the pause that the server asked for, and the run that was refused.
        case failed(String, retryAfter: Duration?, run: ContentImportID?)
        /// Another import fills a table of it, which is no failure of the source: it is fetched again soon.
        case busy

        static func failing(_ problem: String) -> Result { .failed(problem, retryAfter: nil, run: nil) }
    }

    let sets: ContentSets
    let fetcher: any ContentFetcher
    let vault: Vault
    let clock: any WallClock
    let timer: any DispatchClock
    /// Maximum bytes of a file.
    let fileLimit: Int
    let tokens = TDXTokens()
    private let turns: ImportTurns
    /// Those of real-time data, which takes many times its size while it is read.
    private let feedTurns: ImportTurns

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - sets: The content sets that are filled.
    ///   - fetcher: Fetches.
    ///   - vault: Opens secrets.
    ///   - clock: The wall clock.
    ///   - timer: The monotonic clock of pauses that a server asks for.
    ///   - fileLimit: Maximum bytes of a file.
    ///   - importsAtOnce: How many files are imported at once, one of an App, and as many feeds; others wait for their turn.
    package init(
        sets: ContentSets,
        fetcher: any ContentFetcher,
        vault: Vault,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        fileLimit: Int = ContentFile.Limits().fileSize,
        importsAtOnce: Int = 2
    ) {
        self.sets = sets
        self.fetcher = fetcher
        self.vault = vault
        self.clock = clock
        self.timer = timer
        self.fileLimit = fileLimit
        turns = ImportTurns(limit: importsAtOnce)
        feedTurns = ImportTurns(limit: importsAtOnce)
    }

    /// Fetches a source and imports what it sent: new versions as a whole, or nothing.
    package func read(_ claimed: ClaimedContentSource) async -> Result {
        let source = claimed.source
        let answer = source.request.format.isTDX ? await fetchTDX(claimed) : await fetchFile(source)
        switch answer {
        case .unchanged: return .unchanged
        case .refused(let status, let retryAfter):
            return .failed("The server answered \(status).", retryAfter: retryAfter, run: nil)
        case .failed(let problem): return .failing(problem)
        case .content(let bytes, let validators):
            // A node that lost its claim in the meantime leaves the import to the one that has it.
            guard !Task.isCancelled else { return .failing("The node ended.") }
            return await use(bytes, validators, of: source)
        }
    }

    // MARK: - Private

    private func fetchFile(_ source: ContentSource) async -> ContentFetchAnswer {
        let limit = source.request.format.isRealtime ? ContentFeed.maximumSize : fileLimit
        var fetch = ContentFetch(app: source.app, url: source.request.url ?? "", limit: limit)
        if let set = try? await sets.set(source.set, app: source.app) {
            fetch.languages = set.definition.languages
            if await isFilled(source, set) { fetch.validators = source.state.validators }
        }
        return await fetcher.fetch(fetch)
    }

    /// Whether its tables have its rows, and as the definition wants them now: else the same file has to be read again.
    private func isFilled(_ source: ContentSource, _ set: ContentSet) async -> Bool {
        let tables = source.tables(of: set.definition)
        let areThere = tables.allSatisfy { name in
            set.versions[name].map { $0.table == set.definition.table(name) } ?? false
        }
        guard areThere, !tables.isEmpty else { return areThere }
        // A file that was sent by hand may have replaced them.
        let runs = try? await sets.runs(of: source.set, app: source.app, before: nil, limit: 200).items
        let last = runs?.first { run in
            run.state == .completed && run.tables.contains { tables.contains($0.name) && $0.isChange }
        }
        return last.map { $0.source != nil } ?? true
    }

    private func use(_ bytes: [UInt8], _ validators: ContentValidators, of source: ContentSource) async -> Result {
        guard let file = source.request.format.file else {
            let format = source.request.format
            let result = await feedTurns.run(source.app) { Self.feed(bytes, validators, format) }
            return result ?? .failing("The node ended.")
        }
        let result = await turns.run(source.app) { await load(bytes, file, validators, of: source) }
        return result ?? .failing("The node ended.")
    }

    private func load(
        _ bytes: [UInt8],
        _ file: ContentFormat,
        _ validators: ContentValidators,
        of source: ContentSource
    ) async -> Result {
        do throws(ContentSetError) {
            let run = try await sets.importFile(
                bytes,
                file,
                table: source.request.table,
                into: source.set,
                app: source.app,
                source: source.name
            )
            return .imported(run, validators)
        } catch {
            return Self.failure(error)
        }
    }

    /// A feed, which is kept when it can be read.
    private static func feed(
        _ bytes: [UInt8],
        _ validators: ContentValidators,
        _ format: ContentSourceFormat
    ) -> Result {
        guard format == .gtfsRealtime else { return .realtime(bytes, validators, madeAt: nil) }
        var realtime = TransitRealtime()
        do throws(TransitRealtime.Failure) {
            try realtime.update(bytes)
            return .realtime(bytes, validators, madeAt: realtime.timestamp)
        } catch {
            return switch error {
            case .malformed: .failing("The answer is no message of GTFS-Realtime, or it ends too early.")
            case .tooLarge: .failing("The feed has too many entities or updates of stops.")
            }
        }
    }

    private static func failure(_ error: ContentSetError) -> Result {
        switch error {
        case .refused(let run):
            .failed(run.problems.first ?? "The file cannot be read.", retryAfter: nil, run: run.id)
        case .notFound, .noApp, .noRow, .noSource, .noFollow, .noAlert, .noAttachment, .noAttachments, .noAccount:
            .failing("The content set is gone.")
        case .invalid(let errors):
            .failing(errors.first.map { "The file is refused: \($0.field) \($0.problem)." } ?? "The file is refused.")
        case .conflict: .busy
        case .tooMany(let what, let limit): .failing("There are \(limit) \(what) already.")
        case .store(.full): .failing("The store is full.")
        case .store: .failing("The store does not answer.")
        }
    }
}
