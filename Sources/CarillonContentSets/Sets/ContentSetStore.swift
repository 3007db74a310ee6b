package import CarillonModel
package import StoreErrors

/// A row as a version has it.
package struct StoredContentRow: Hashable, Sendable {
    /// Its place in the table's order, from 1.
    package var number: Int64
    package var key: String
    /// The row as JSON text.
    package var document: String
    package var position: ContentPosition?
    /// Values by which it is looked up: a field's place in the table, and the term.
    package var terms: [(field: Int, term: String)]
    /// Its times: a field's place in the table, and the instant.
    package var times: [(field: Int, at: Timestamp)]

    /// The place of the full text search among the fields.
    package static let wordsField = -1

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.number == rhs.number && lhs.key == rhs.key && lhs.document == rhs.document
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Makes the stored form of a row.
    package init(_ row: ContentRow, number: Int64, of table: ContentTable, document: String) {
        self.number = number
        key = row.key
        self.document = document
        (terms, times) = ([], [])
        var words: [String] = []
        for (place, (field, value)) in zip(table.fields, row.values).enumerated() {
            guard let value else { continue }
            if field.isIndexed { terms += value.terms.map { (place, $0) } }
            switch value {
            case .position(let found): position = found
            case .time(let at): times.append((place, at))
            case .text(let text) where field.isSearchable: words.append(text)
            case .list(let texts) where field.isSearchable: words += texts
            default: break
            }
        }
        terms += SearchTerms.terms(ofRow: words).map { (Self.wordsField, $0) }
    }
}

/// A row that a version has and the one before has not.
package struct NewContentRow: Hashable, Sendable {
    package var number: Int64
    package var key: String

    package init(number: Int64, key: String) {
        self.number = number
        self.key = key
    }
}

/// What followers of a table may be notified of; nothing of its first version.
package struct ContentNews: Hashable, Sendable {
    /// The first new rows, up to one more than an alert is about.
    package var rows: [NewContentRow] = []
    /// The keys of the first rows that are gone, up to as many: when they come back, they are no news.
    package var gone: [String] = []

    package init() {}
}

/// How a version differs from the one before.
package struct ContentChanges: Hashable, Sendable {
    package var imported = 0
    package var changed = 0
    package var gone = 0
    package var news = ContentNews()

    package init() {}
}

/// Whether versions became the current ones.
package enum ContentPublication: Hashable, Sendable {
    case published
    /// Another version became the current one since they were compared.
    case outdated
    /// A version that was begun later is current.
    case superseded
    /// The set is gone.
    case gone
}

/// The stores of content sets.
package protocol ContentStores: Sendable {
    var contentSets: any ContentSetStore { get }
    var contentSources: any ContentSourceStore { get }
    var contentFollows: any ContentFollowStore { get }
    var contentAttachments: any ContentAttachmentStore { get }
}

/// Stores content sets, their versions and rows.
package protocol ContentSetStore: Sendable {
    /// Saves a definition under its name; rows stay as they were imported.
    ///
    /// - Returns: The stored set, or why nothing was saved.
    func put(
        _ name: String,
        _ definition: ContentSetDefinition,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> Result<ContentSet, ContentSetError>

    /// - Returns: `nil` when the App has no set of the name.
    func set(_ name: String, app: AppID) async throws(StoreError) -> ContentSet?

    /// Returns sets in order of their names, without their versions.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - name: Only later ones than this.
    ///   - limit: The maximum number.
    /// - Returns: The sets.
    /// - Throws: ``StoreError``.
    func sets(of app: AppID, after name: String?, limit: Int) async throws(StoreError) -> [ContentSet]

    /// Deletes a set with its attachments; nobody finds its rows then, and ``dropUnused(app:before:)`` removes them.
    ///
    /// - Returns: False when there is none.
    func delete(_ name: String, app: AppID) async throws(StoreError) -> Bool

    /// Deletes some attachments of a set that is about to be deleted: all of them at once may take long.
    ///
    /// - Returns: Whether there may be more.
    func deleteAttachments(of name: String, app: AppID) async throws(StoreError) -> Bool

    /// Begins a version of a table, which nobody sees before it is published.
    ///
    /// - Returns: Its number.
    func begin(_ table: ContentTable, of set: String, app: AppID, at now: Timestamp) async throws(StoreError) -> Int64

    /// Adds rows to a version that is not published.
    func append(_ rows: [StoredContentRow], to slot: Int64, app: AppID) async throws(StoreError)

    /// Compares a version that is not published with the one that is current.
    func changes(
        from current: Int64?,
        to slot: Int64,
        app: AppID
    ) async throws(StoreError) -> ContentChanges

    /// Makes versions the current ones, all of them or none; the last current ones stay for the cursors of readers.
    ///
    /// Alerts about the new rows of a table begin then, but for rows that followers were notified of before. Versions of
    /// tables that the definition no longer has are given up.
    ///
    /// - Parameters:
    ///   - slots: The versions; those that differ from the current ones.
    ///   - set: Their set.
    ///   - app: The App.
    ///   - compared: The current versions that all new ones were compared with, by table; 0 where there was none.
    ///   - rowCounts: How many rows the versions have.
    ///   - news: Their new rows.
    ///   - now: The time.
    /// - Returns: Whether it happened, and if not, why nothing is published.
    /// - Throws: ``StoreError``.
    func publish(
        _ slots: [Int64],
        of set: String,
        app: AppID,
        over compared: [String: Int64],
        rowCounts: [Int64: Int],
        news: [Int64: ContentNews],
        at now: Timestamp
    ) async throws(StoreError) -> ContentPublication

    /// Gives up versions that are not published.
    func discard(_ slots: [Int64], app: AppID) async throws(StoreError)

    /// Removes some rows of versions that nobody reads: discarded ones, those before the last one, and those that were
    /// begun before a time and never published. Attachments to rows that no version has any more go with them.
    ///
    /// - Returns: Whether there may be more.
    func dropUnused(app: AppID, before: Timestamp) async throws(StoreError) -> Bool

    /// Answers a query.
    ///
    /// - Parameters:
    ///   - query: A query that fits the version's table.
    ///   - version: The version.
    ///   - app: The App.
    /// - Returns: A page of rows.
    /// - Throws: ``StoreError``.
    func page(_ query: ContentQuery, of version: ContentSet.Version, app: AppID) async throws(StoreError) -> ContentPage

    /// A version that a cursor names, current or the one before.
    ///
    /// - Returns: `nil` when it is gone, or of another table.
    func version(
        _ slot: Int64,
        of set: String,
        table: String,
        app: AppID
    ) async throws(StoreError) -> ContentSet.Version?

    /// Saves an import that begins, unless another one that is alive fills a table of it.
    ///
    /// The last 50 of a set are kept, and of those before the running ones among the last 200. Nothing is saved of a set
    /// that is gone.
    ///
    /// - Returns: The other import, and nothing is saved; `nil` when this one has begun.
    func begin(
        _ run: ContentImportRun,
        of set: String,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError)
        -> ContentImportRun?

    /// Saves what is known of an import that has begun.
    ///
    /// - Returns: False when it is gone, as those of a deleted set are: nothing is saved then.
    func save(_ run: ContentImportRun, of set: String, app: AppID) async throws(StoreError) -> Bool

    /// Returns the imports of a set, the latest first.
    func runs(
        of set: String,
        app: AppID,
        before id: ContentImportID?,
        limit: Int
    ) async throws(StoreError)
        -> [ContentImportRun]
}
