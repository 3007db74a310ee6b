import CarillonContentSets
import CarillonEngine
import CarillonModel
import Foundation
import NIOConcurrencyHelpers

/// The access tokens that this node has, by source, client id and addresses: none goes to another address than before.
final class TDXTokens: Sendable {
    private struct Key: Hashable {
        var source: DueContentSource
        var clientID: String?
        var dataAddress: String
        var tokenAddress: String

        init(_ claimed: ClaimedContentSource) {
            let request = claimed.source.request
            (source, clientID) = (claimed.due, request.clientID)
            (dataAddress, tokenAddress) = (request.dataAddress, request.tokenAddress)
        }
    }

    /// More are not kept: they are fetched anew.
    private static let limit = 1_000

    private let tokens = NIOLockedValueBox<[Key: TDXToken]>([:])

    func token(of claimed: ClaimedContentSource) -> TDXToken {
        tokens.withLockedValue { $0[Key(claimed)] } ?? TDXToken()
    }

    func save(_ token: TDXToken, of claimed: ClaimedContentSource) {
        tokens.withLockedValue { tokens in
            if tokens.count >= Self.limit { tokens.removeAll() }
            tokens[Key(claimed)] = token
        }
    }
}

extension ContentSourceReader {
    /// Pauses that are waited for; longer ones end the fetch, and the next one comes after them.
    private static let longestWait: Int64 = 30_000
    private static let tokenLimit = 65_536
    /// How long all pages and pauses of a fetch may take.
    private static let longestFetch = Duration.seconds(900)
    /// What is needed of an estimate: an answer about a city is large.
    private static let selection =
        "&$select=StopUID,RouteUID,Direction,StopStatus,EstimateTime,NextBusTime,DataTime,SrcUpdateTime,UpdateTime"

    /// Fetches what a source has of TDX, page by page, into one file.
    func fetchTDX(_ claimed: ClaimedContentSource) async -> ContentFetchAnswer {
        let isFile = claimed.source.request.format == .tdx
        let limit = isFile ? fileLimit : ContentFeed.maximumSize
        let deadline = timer.now() + Self.longestFetch
        var file = TDXFile(limit: limit)
        for kind in isFile ? ["Stop", "Route", "StopOfRoute"] : ["EstimatedTimeOfArrival"] {
            file.begin(kind)
            var pages = TDXPages()
            while let query = pages.query {
                let request = claimed.source.request
                let url =
                    "\(request.dataAddress)/\(kind)/City/\(request.city ?? "")?\(query)\(isFile ? "" : Self.selection)"
                let answer = await fetchPage(url, claimed, limit: limit, until: deadline)
                guard case .content(let bytes, _) = answer else { return answer }
                do throws(TDXFile.Problem) {
                    pages.note(count: try file.append(bytes))
                } catch {
                    return .failed(error.sentence)
                }
            }
            // A short data set would remove the rows of the pages that are missing.
            guard !pages.isCutOff else {
                return .failed("\(kind) has more than \(TDXPages.maximumCount) pages of \(TDXPages.size) rows.")
            }
        }
        return .content(isFile ? file.object : file.array, ContentValidators())
    }

    // MARK: - Private

    /// Fetches one page; a token that is refused is renewed once, a pause that is asked for is made.
    private func fetchPage(
        _ url: String,
        _ claimed: ClaimedContentSource,
        limit: Int,
        until deadline: ContinuousClock.Instant
    ) async -> ContentFetchAnswer {
        var fetch = ContentFetch(app: claimed.source.app, url: url, limit: limit)
        var token = tokens.token(of: claimed)
        defer { tokens.save(token, of: claimed) }
        while !Task.isCancelled {
            guard timer.now() < deadline else { return .failed("The answers took more than 15 minutes.") }
            guard claimed.source.request.clientID != nil else { return await fetcher.fetch(fetch) }
            switch token.step(at: clock.now()) {
            case .wait(let until):
                let pause = until.rawValue - clock.now().rawValue
                guard pause <= Self.longestWait else {
                    return .refused(status: 429, retryAfter: .milliseconds(pause))
                }
                await timer.sleep(until: timer.now() + .milliseconds(pause))
            case .fetch:
                if let failure = await renew(&token, claimed) { return failure }
            case .use(let text):
                fetch.authorization = "Bearer " + text
                let answer = await fetcher.fetch(fetch)
                let (status, retryAfter): (Int, Int?) =
                    switch answer {
                    case .content, .unchanged: (200, nil)
                    case .refused(let status, let pause): (status, pause.map { Int($0.components.seconds) })
                    case .failed: (0, nil)
                    }
                guard token.note(status: status, retryAfter: retryAfter, at: clock.now()) == .again else {
                    return answer
                }
            }
        }
        return .failed("The node ended.")
    }

    /// Fetches an access token.
    ///
    /// - Returns: The answer that ends the fetch; `nil` when there is a token.
    private func renew(_ token: inout TDXToken, _ claimed: ClaimedContentSource) async -> ContentFetchAnswer? {
        let request = claimed.source.request
        guard let sealed = claimed.sealedSecret,
            let secret = vault.open(sealed, purpose: claimed.source.secretPurpose)
        else { return .failed("The client secret cannot be opened; set it again.") }
        var fetch = ContentFetch(app: claimed.source.app, url: request.tokenAddress, limit: Self.tokenLimit)
        let fields = [
            ("grant_type", "client_credentials"), ("client_id", request.clientID ?? ""),
            ("client_secret", String(decoding: secret, as: UTF8.self)),
        ]
        fetch.form = Array(fields.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&").utf8)
        switch await fetcher.fetch(fetch) {
        case .content(let body, _):
            guard token.receive(body, at: clock.now()) else {
                return .failed("The answer for an access token has none.")
            }
            return nil
        case .refused(let status, _) where status == 400 || status == 401 || status == 403:
            return .failed("The client id and secret are refused: the server answered \(status).")
        case let answer: return answer
        }
    }

    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
