import CarillonModel
import CarillonOperatorModel

/// A timeline by day, for the template `timeline`.
struct TimelineView: Hashable, Sendable {
    /// One thing that happened.
    struct Row: Hashable, Sendable {
        let rowTime: TimeView
        /// What happened, in a sentence.
        let rowText: String
        let rowPill: PillView?
        let rowCampaign: String?
        let rowCampaignPath: String?
        /// A reason as Apple or Carillon wrote it, and what it means.
        let rowReason: String?
        let rowMeaning: String?
        let rowDevice: String?
        let rowDevicePath: String?
    }

    /// A day, with what happened on it.
    struct Day: Hashable, Sendable {
        let dayName: String
        let dayRows: [Row]
    }

    let tabs: [TabView]
    let days: [Day]
    let hasDays: Bool
    /// Whether this page has nothing, and there may be more before it.
    let mayHaveOlder: Bool
    let timelinePaging: PagingView?

    /// Creates the timeline.
    ///
    /// - Parameters:
    ///   - page: What happened.
    ///   - path: The page that shows it.
    ///   - app: The App.
    ///   - showsDevices: Whether each row names its Device: on the page of a User.
    ///   - look: The words of the page.
    init(_ page: Timeline.Page, at path: String, of app: AppID, showsDevices: Bool, _ look: Look) {
        let kinds: [Timeline.Kind?] = [nil] + Timeline.Kind.allCases
        tabs = kinds.map { kind in
            TabView(
                words: look.texts.word("timeline.kind", kind?.rawValue ?? "all"),
                path: Timeline.Query(kind: kind).fields.appended(to: path) + "#timeline",
                isCurrent: kind == page.query.kind
            )
        }
        var days: [Day] = []
        let words = TimelineText(look: look, paths: AppPath(app: app), showsDevices: showsDevices)
        for item in page.items {
            let (name, row) = (look.times.day(item.at), words.row(item))
            if let last = days.last, last.dayName == name {
                days[days.count - 1] = Day(dayName: name, dayRows: last.dayRows + [row])
            } else {
                days.append(Day(dayName: name, dayRows: [row]))
            }
        }
        self.days = days
        hasDays = !days.isEmpty
        mayHaveOlder = days.isEmpty && page.next != nil
        func link(_ position: Timeline.Position?) -> String {
            Timeline.Query(kind: page.query.kind, position: position).fields.appended(to: path) + "#timeline"
        }
        timelinePaging = PagingView(
            newest: page.query.position.map { _ in link(nil) },
            older: page.next.map { link($0) }
        )
    }
}

/// The rows of a timeline in words.
private struct TimelineText {
    let look: Look
    let paths: AppPath
    let showsDevices: Bool

    func row(_ item: Timeline.Item) -> TimelineView.Row {
        let message = item.what.message
        var reason: String?
        if case .delivery(let message) = item.what { reason = message.reason }
        if case .tokenRefused(let message) = item.what { reason = message.reason }
        let device = showsDevices ? item.device : nil
        return TimelineView.Row(
            rowTime: look.times.clock(item.at),
            rowText: text(item.what),
            rowPill: pill(item.what),
            rowCampaign: message?.campaign.description,
            rowCampaignPath: message.map { paths.campaign($0.campaign) },
            rowReason: reason,
            rowMeaning: reason.flatMap { look.meaning(of: $0, isSkip: message?.outcome == .skipped) },
            rowDevice: device?.description.shortened(),
            rowDevicePath: device.map(paths.device)
        )
    }

    private func text(_ what: Timeline.What) -> String {
        let texts = look.texts
        switch what {
        case .registered: return texts("timeline.registered")
        case .registeredAgain: return texts("timeline.registeredAgain")
        case .token(let masked, let type): return texts("timeline.token", ["token": masked, "type": type.rawValue])
        case .tokenRefused: return texts("timeline.tokenRefused")
        case .consent(let change):
            let source = texts.word("consent.source", change.source.rawValue)
            let consents = DeviceText(look: look).consents(change.new)
            return texts("timeline.consent", ["consents": consents, "source": source])
        case .delivery: return texts("timeline.delivery")
        case .received: return texts("timeline.received")
        case .opened: return texts("timeline.opened")
        case .dismissed: return texts("timeline.dismissed")
        case .launched: return texts("timeline.launched")
        case .action(let name, _): return texts("timeline.action", ["action": name])
        }
    }

    private func pill(_ what: Timeline.What) -> PillView? {
        guard case .delivery(let message) = what else { return nil }
        return look.outcome(message.outcome)
    }
}

extension Timeline.What {
    /// The row of the log that tells of it.
    fileprivate var message: LoggedMessage? {
        switch self {
        case .registered, .registeredAgain, .token, .consent: nil
        case .tokenRefused(let message), .delivery(let message), .received(let message), .opened(let message),
            .dismissed(let message), .launched(let message), .action(_, let message):
            message
        }
    }
}
