import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension Timeline {
    /// Rows on a page.
    static let pageSize = 50
    /// Devices of a User whose registrations, tokens and consents are read.
    static let deviceCount = 50

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - query: Which kinds, and from where on.
    ///   - subject: Whose deliveries.
    ///   - devices: The Devices that it is about.
    ///   - app: The App.
    ///   - engine: The services.
    /// - Returns: The page.
    /// - Throws: ``EngineError``.
    static func read(
        _ query: Query,
        _ subject: MessageLogQuery.Subject,
        devices: [DeviceRecord],
        of app: AppID,
        _ engine: Engine
    ) async throws -> Page {
        let begin = query.position ?? .newest
        let others = try await others(query, devices, of: app, engine)
            .filter { $0.at.rawValue < begin.before && query.shows($0) }
            .sorted { $0.at > $1.at }
        guard query.needsLog, !begin.isLogOver else { return rest(others, query) }
        let log = try await log(subject, of: app, after: begin.cursor, engine)
        // What else happened until the oldest delivery of this page stands on it.
        let oldest = log.nextCursor == nil ? Int64.min : log.items.map(\.at.rawValue).min() ?? begin.before
        let limit = min(oldest, begin.before)
        let items = others.filter { $0.at.rawValue >= limit } + log.items.flatMap(rows).filter(query.shows)
        let next = log.nextCursor.map { Position(before: limit, cursor: $0, isLogOver: false) }
        return Page(query: query, items: items.sorted { $0.at > $1.at }, next: next)
    }

    // MARK: - Private

    /// A page without deliveries; what happened at the same time stays together.
    private static func rest(_ items: [Item], _ query: Query) -> Page {
        guard items.count > pageSize else { return Page(query: query, items: items, next: nil) }
        let last = items[pageSize - 1].at
        let shown = items.prefix { $0.at >= last }
        let isMore = shown.count < items.count
        return Page(
            query: query,
            items: Array(shown),
            next: isMore ? Position(before: last.rawValue, cursor: nil, isLogOver: true) : nil
        )
    }

    /// The log; empty for a User that has tags alone and never had a Device.
    private static func log(
        _ subject: MessageLogQuery.Subject,
        of app: AppID,
        after: String?,
        _ engine: Engine
    ) async throws -> CarillonOperatorModel.Page<LoggedMessage> {
        do throws(EngineError) {
            let query = MessageLogQuery(app: app, subject: subject)
            return try await engine.messageLog.page(query, cursor: after, limit: pageSize)
        } catch {
            guard error.isNotFound else { throw error }
            return CarillonOperatorModel.Page(items: [], nextCursor: nil)
        }
    }

    /// What is known beside deliveries.
    private static func others(
        _ query: Query,
        _ devices: [DeviceRecord],
        of app: AppID,
        _ engine: Engine
    ) async throws -> [Item] {
        func shows(_ kind: Kind) -> Bool { query.kind == nil || query.kind == kind }
        var items: [Item] = []
        for device in devices.prefix(deviceCount) {
            let id = device.device
            if shows(.registrations) {
                items.append(Item(at: device.createdAt, what: .registered, device: id))
                if device.registeredAt > device.createdAt {
                    items.append(Item(at: device.registeredAt, what: .registeredAgain, device: id))
                }
            }
            if shows(.tokens) {
                items += try await engine.devices.tokens(of: id, app: app).map { token in
                    let what = What.token(DeviceText.masked(token.token), token.pushType)
                    return Item(at: token.registeredAt, what: what, device: id)
                }
            }
            if shows(.consents) {
                items += try await engine.consents.history(of: id, app: app).changes.map { change in
                    Item(at: change.at, what: .consent(change), device: id)
                }
            }
        }
        return items
    }

    /// What a row of the log tells.
    private static func rows(_ message: LoggedMessage) -> [Item] {
        func item(_ at: Timestamp?, _ what: What) -> Item? {
            at.map { Item(at: $0, what: what, device: message.device) }
        }
        var items = [Item(at: message.at, what: .delivery(message), device: message.device)]
        if message.outcome == .failed, let reason = message.reason {
            let consequence = DeliveryReason.failure(reason).consequence
            if consequence == .droppedToken || consequence == .quarantinedToken {
                items.append(Item(at: message.at, what: .tokenRefused(message), device: message.device))
            }
        }
        items += [
            item(message.receivedAt, .received(message)), item(message.openedAt, .opened(message)),
            item(message.dismissedAt, .dismissed(message)), item(message.launchedAt, .launched(message)),
        ].compactMap(\.self)
        items += (message.actions ?? []).map { action in
            Item(at: action.at, what: .action(action.action, message), device: message.device)
        }
        return items
    }
}
