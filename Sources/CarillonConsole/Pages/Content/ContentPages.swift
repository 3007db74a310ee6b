import CarillonOperatorModel

/// The pages that have content of messages.
enum ContentPages {
    private static let step = "/apps/{app}/campaigns/{campaign}/edit/content"

    static func declare(_ routes: inout ConsoleRoutes) {
        ImagePreviews.declare(&routes)
        // The script asks for these while somebody types.
        routes.form(step + "/preview", .app(.editor), bodyLimit: ContentStep.bodyLimit) { visit, state in
            try await preview(visit, of: state.values)
        } submit: { visit in
            visit.audit.noteQuestion()
            return .page(try await preview(visit, of: visit.form))
        }
        routes.page(step + "/test", .app(.editor)) { visit in
            let draft = try await ComposerDraft.read(visit)
            return .page(try await TestSendView.read(draft, ContentForm.blank, .empty, visit))
        }
        TemplatePages.declare(&routes)
        CategoryPages.declare(&routes)
        TestDevicePages.declare(&routes)
    }

    private static func preview(_ visit: Visit, of fields: FormFields) async throws -> ContentPreview {
        let draft = try await ComposerDraft.read(visit)
        return try await ContentStep.preview(of: ContentForm(fields: fields), draft, visit)
    }
}
