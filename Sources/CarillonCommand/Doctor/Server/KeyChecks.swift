import CarillonModel
import CarillonOperatorModel
import CarillonStore

/// The state of the master key, as a starting node would find it.
enum MasterKeyState: Hashable, Sendable {
    /// The file is missing, and the store has secrets.
    case missing(path: String)
    /// The file is missing, and nothing is sealed yet.
    case notMade(path: String)
    /// The file cannot be used; holds the reason.
    case unusable(String)
    /// It is a key, and whether it opens what the store has sealed; `nil` when nothing is.
    case key(path: String, opensStore: Bool?)
    /// A rotation is in progress, and the file has both keys.
    case beingReplaced(path: String)

    var opensStore: Bool {
        switch self {
        case .key(_, opensStore: true), .beingReplaced: true
        case .key, .missing, .notMade, .unusable: false
        }
    }
}

extension ServerFinding {
    /// The finding for the master key's state.
    static func masterKey(_ state: MasterKeyState) -> ServerFinding {
        switch state {
        case .missing(let path):
            .problem(
                .masterKey,
                "The store has secrets, and there is no master key at \(path).",
                "Restore the file that belongs to the store, or copy it from another node: install -m 600 SAVED \(path)"
            )
        case .notMade(let path): .ok(.masterKey, "There is none yet; the first start creates \(path).")
        case .unusable(let text):
            .problem(.masterKey, text, "carillon serve does not start as long as that is so.")
        case .key(let path, false):
            .problem(
                .masterKey,
                "The key at \(path) does not open the store's secrets.",
                "Put back the file that belongs to the store, or name it with --master-key-file. While the master key is "
                    + "replaced the file needs both keys."
            )
        case .beingReplaced(let path):
            .warning(
                .masterKey,
                "The master key is being replaced, and \(path) has both keys.",
                "Where carillon rotate-master-key was cut off, run it again."
            )
        case .key(let path, true): .ok(.masterKey, "\(path) opens the store's secrets, and only its owner can read it.")
        case .key(let path, nil): .ok(.masterKey, "\(path) is a key; the store has nothing sealed yet.")
        }
    }
}

extension [ServerFinding] {
    /// Checks that somebody can administer the server.
    ///
    /// - Parameters:
    ///   - examination: The result of the store.
    ///   - store: The option that names the store to `carillon keys`.
    /// - Returns: Two findings.
    static func administrators(_ examination: ServerExamination, store: String) -> Self {
        var findings: Self = []
        if let key = examination.unusedFirstKey {
            findings.append(
                .warning(
                    .firstKey,
                    "The first API key \(key) was never used; until then every start shows it, and it may do everything.",
                    "Take it from admin.key in the data folder, make a key of your own with it, and delete it: "
                        + "carillon keys delete \(key)"
                )
            )
        } else {
            findings.append(.ok(.firstKey, "No first API key waits to be used."))
        }
        findings.append(
            examination.hasAdministrator
                ? .ok(.adminKey, "An unexpired key of the server has the scope admin.")
                : .problem(
                    .adminKey,
                    "No unexpired key of the server has scope admin: nobody can administer it.",
                    "carillon keys create \(store) admin --scope admin"
                )
        )
        return findings
    }

    /// Checks that Apps can send.
    ///
    /// - Parameters:
    ///   - checks: The results of each App's push key.
    ///   - without: Apps without one.
    ///   - isComplete: Whether all Apps were checked.
    /// - Returns: A finding for each App that cannot send, or one for all.
    static func pushKeys(
        _ checks: [PushKeyState],
        without: [ServerExamination.AppWithoutPushKey],
        isComplete: Bool
    ) -> Self {
        var findings = checks.filter { $0.problem != nil }.prefix(ServerExamination.limit).map { state in
            ServerFinding.problem(
                .pushKeys,
                "\(state.app): the push key \(state.keyID) \(state.problem ?? "cannot be used").",
                "Send Apple's key again: PUT /v1/apps/\(state.app)/push-key"
            )
        }
        findings += without.map { app in
            let holders = [app.hasDevices ? "Devices" : nil, app.hasCampaigns ? "Campaigns" : nil].compactMap(\.self)
            return .problem(
                .pushKeys,
                "\(app.app) has \(holders.joined(separator: " and ")) and no push key: no Campaign of it can be sent.",
                "Send Apple's key: PUT /v1/apps/\(app.app)/push-key"
            )
        }
        if findings.isEmpty {
            let topics = checks.prefix(3).map { "\($0.topic) with \($0.keyID)" }.joined(separator: ", ")
            let more = checks.count > 3 ? " and \(checks.count - 3) more" : ""
            findings.append(
                .ok(
                    .pushKeys,
                    checks.isEmpty ? "No App has one, and none needs one." : "All open and sign: \(topics)\(more)."
                )
            )
        }
        if !isComplete {
            findings.append(
                .warning(
                    .pushKeys,
                    "Only the first Apps were looked at, \(checks.count) with a key.",
                    "Look at the others in the API."
                )
            )
        }
        return findings
    }
}

/// The result of an App's push key.
struct PushKeyState: Hashable, Sendable {
    var app: AppID
    var keyID: String
    var topic: String
    /// Its problem, as the rest of a sentence; `nil` when it signs.
    var problem: String?
}
