import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers

extension CampaignsCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Follow a campaign as live bars until it is over.",
            discussion: """
                Elsewhere than in a terminal it prints a line a change, with --json an object a line. It connects again when \
                the connection breaks. It ends with 0 when the campaign is sent, and with 1 when it is cancelled; Ctrl-C ends it \
                earlier.
                """
        )

        @OptionGroup var named: NamedCampaign

        func run() async throws {
            let isLive = isatty(STDOUT_FILENO) == 1 && !named.options.json
            let screen = NIOLockedValueBox(WatchScreen(campaign: named.campaign, isLive: isLive))
            let json = named.options.json
            let state = try await named.options.run { api in
                try await CampaignWatch(
                    api: api,
                    campaign: named.campaign,
                    wait: { try await Task.sleep(for: $0) },
                    show: { progress, data in
                        let text =
                            json
                            ? Terminal.escaped(String(decoding: data, as: UTF8.self)) + "\n"
                            : screen.withLockedValue { $0.text(progress) }
                        FileHandle.standardOutput.write(Data(text.utf8))
                    }
                )
                .run()
            }
            if state == .cancelled { throw ExitCode(CommandFailure.Kind.negative.rawValue) }
        }
    }
}

/// What `campaigns watch` writes for each event.
struct WatchScreen {
    let campaign: String
    /// Whether bars are drawn again in place; otherwise it writes a line a change.
    let isLive: Bool
    private var height = 0
    private var last = ""

    init(campaign: String, isLive: Bool) {
        self.campaign = campaign
        self.isLive = isLive
    }

    /// The text for an event; empty when nothing changed.
    mutating func text(_ progress: CampaignProgress) -> String {
        guard isLive else {
            let line = Self.line(progress)
            defer { last = line }
            return line == last ? "" : line + "\n"
        }
        let funnel = progress.funnel
        let lines =
            ["\(campaign): \(progress.state.rawValue)"] + FunnelView(funnel: funnel).lines
            + VariantsView(funnel: funnel).lines
        // ECMA-48: CPL moves up to the first column, ED erases what follows.
        let back = height > 0 ? "\u{1B}[\(height)F\u{1B}[0J" : ""
        height = lines.count
        return back + lines.map { Terminal.escaped($0) + "\n" }.joined()
    }

    private static func line(_ progress: CampaignProgress) -> String {
        let funnel = progress.funnel
        let counts = [
            ("targeted", funnel.targeted), ("skipped", funnel.skipped.values.reduce(0, +)),
            ("accepted", funnel.accepted),
            ("failed", funnel.failed.values.reduce(0, +)), ("retrying", funnel.retrying), ("deferred", funnel.deferred),
            ("received", funnel.received), ("opened", funnel.opened),
        ]
        return progress.state.rawValue + counts.map { " · \($0.0) \(Text.grouped($0.1))" }.joined()
    }
}
