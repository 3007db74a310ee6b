import Carillon
import CarillonTestKit
import Foundation
import UIKit

@MainActor
final class Running { weak var app: AppDelegate? }

final class AppDelegate: UIResponder, UIApplicationDelegate {
    convenience init(makeClient: @MainActor () throws -> CarillonClient, log: @MainActor (String) -> Void) { self.init() }
    func subscribe(user: UserID?, wantsAds: Bool) async {}
}

@MainActor
func example() async throws {
// BLOCK
}
