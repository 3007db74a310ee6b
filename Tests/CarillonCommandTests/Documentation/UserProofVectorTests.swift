import CarillonEngine
import CarillonModel
import Foundation
import Testing

/// The test vectors that docs/user-proof.md gives to back ends are proofs that the server accepts.
struct UserProofVectorTests {
    private struct Vector: Decodable {
        var identitySecret: String
        var app: String
        var user: String
        var expires: Int64
        var signature: String
    }

    @Test("The test vectors of user proofs are the server's")
    func vectors() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/user-proof.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "\n## Test vectors\n").last)
        let block = try #require(section.firstMatch(of: #/(?s)```json\n(.*?)\n```/#))
        let vectors = try JSONDecoder().decode([Vector].self, from: Data(block.1.utf8))
        #expect(vectors.count == 3)
        for vector in vectors {
            let proof = UserProof.signed(
                user: try #require(UserID(rawValue: vector.user)),
                app: try #require(AppID(vector.app)),
                expires: vector.expires,
                identitySecret: vector.identitySecret
            )
            #expect(proof == UserProof(expires: vector.expires, signature: vector.signature))
        }
    }
}
