import Foundation
import Testing

@testable import ApplePushSimulator

/// The page in a real browser.
struct BrowserTests {
    /// Runs steps; `Tests/Programs/browser.py` says what they may be.
    ///
    /// - Returns: What came of each step, and at last what the browser's console complained of.
    private func browse(_ steps: [[String: Any]]) async throws -> (results: [Any], complaints: [String]) {
        let driver = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Programs/browser.py").path
        let text = String(decoding: try JSONSerialization.data(withJSONObject: steps), as: UTF8.self)
        let result = try await Tool.python3.run([driver, try Tool.chromium.path().path, text])
        #expect(result.status == 0, "\(result.output)")
        var results = try result.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
        }
        let complaints = results.popLast() as? [String]
        return (results, try #require(complaints))
    }

    private func push(_ fixture: SimulatorFixture, _ payload: String, token: String = GatewayFixture.token) -> [String]
    {
        ["curl", "-sS", "--http2", "--cacert", fixture.caFile, "-d", payload] + fixture.fields
            + [fixture.url(token: token)]
    }

    @Test("The page shows updates, its buttons work, and its policy is not violated")
    func live() async throws {
        try await SimulatorFixture.run { fixture in
            let hostile = #"{"aps":{"alert":{"title":"<img src=x onerror=window.broken=1>","body":"Hello"},"badge":2}}"#
            let (results, complaints) = try await browse([
                ["goto": fixture.control("/")],
                ["until": "document.getElementById('live').dataset.live === 'on'"],
                ["value": "document.querySelector('.counters .value').textContent"],
                ["run": push(fixture, hostile)],
                ["until": "document.querySelector('.counters .value').textContent === '1'"],
                ["value": "document.querySelector('#phone .title').textContent"],
                ["value": "window.broken ?? document.querySelectorAll('main img').length"],
                [
                    "value":
                        "[...document.querySelectorAll('#faults button')].find(b => b.textContent.startsWith('503')).click()"
                ],
                ["until": "document.querySelectorAll('#faults .faults li').length === 1"],
                ["run": push(fixture, hostile)],
                ["until": "document.getElementById('reasons').textContent.includes('ServiceUnavailable')"],
                ["value": "document.querySelector('#faults .faults button').click()"],
                ["until": "document.querySelectorAll('#faults .faults li').length === 0"],
                ["until": "document.querySelectorAll('#requests li').length === 2"],
                ["value": "document.getElementById('refusals').click()"],
                [
                    "value":
                        "[...document.querySelectorAll('#requests li')].filter(li => li.checkVisibility()).map(li => li.className).join()"
                ],
            ])

            #expect(results[2] as? String == "0")
            #expect(results[5] as? String == "<img src=x onerror=window.broken=1>")
            #expect(results[6] as? Int == 0)
            #expect(results.last as? String == "refused")
            #expect(complaints == [])
            #expect(fixture.handle.faults().isEmpty)
            #expect(fixture.handle.counters().results["ServiceUnavailable"] == 1)
        }
    }

    @Test("An opened request stays in view, and is reachable with the keyboard")
    func held() async throws {
        try await SimulatorFixture.run { fixture in
            let (results, complaints) = try await browse([
                ["run": push(fixture, #"{"aps":{"alert":"first"}}"#)],
                ["goto": fixture.control("/")],
                ["until": "document.getElementById('live').dataset.live === 'on'"],
                ["value": "document.getElementById('requests-title').focus()"],
                ["key": "Tab"],
                ["key": "Tab"],
                ["value": "document.activeElement.tagName"],
                ["key": "Enter"],
                ["until": "document.querySelector('#requests details[open] pre').textContent.includes('first')"],
                ["until": "!document.getElementById('held').hidden"],
                ["run": push(fixture, #"{"aps":{"alert":"second"}}"#)],
                ["until": "document.querySelector('.counters .value').textContent === '2'"],
                ["value": "document.querySelectorAll('#requests li').length"],
                ["value": "document.activeElement.tagName"],
                ["key": "Enter"],
                ["until": "document.querySelectorAll('#requests li').length === 2"],
                ["value": "document.activeElement.closest('li').dataset.key"],
            ])

            #expect(results[6] as? String == "SUMMARY")
            #expect(results[12] as? Int == 1)
            #expect(results[13] as? String == "SUMMARY")
            #expect(results[16] as? String == "1")
            #expect(complaints == [])
        }
    }

    @Test("A page of another origin can neither read nor change anything")
    func foreign() async throws {
        try await SimulatorFixture.run { fixture in
            try await SimulatorFixture.run { other in
                let write = """
                    fetch('\(fixture.control("/faults"))', {method: 'POST', mode: 'no-cors', body: '{"kind":"stall"}'})
                    .then(() => 'sent', () => 'failed')
                    """
                let read = "fetch('\(fixture.control("/stats"))').then(a => a.text(), () => 'failed')"
                let (results, _) = try await browse([
                    ["goto": other.control("/stats")], ["value": write], ["value": read],
                ])

                #expect(results.count == 3)
                #expect(results[2] as? String == "failed")
                #expect(fixture.handle.faults().isEmpty)
            }
        }
    }
}
